# The shipped examples for a cluster with the lab's images and nodes:
#   sed -f lab/examples.sed examples/kubernetes-layers.yaml >layers.yaml
# node-static has the static CPU manager.
s#"mysql:8.4"#localhost/mysql:1#
s#node-static#n3#g
s#node-a#n2#g
s#node-b#n1#g
