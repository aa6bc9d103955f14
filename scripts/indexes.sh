#!/bin/sh
# Write what Homebrew and krew install tare by, from the archives of a release: indexes.sh DIST VERSION FROM.
# FROM is the address below which the files of DIST will be. Only the archives that are in DIST are named.
set -eu
dist=$1 version=$2 from=${3%/}
cd "$dist"

sum() { sed -n "s/^\([0-9a-f]*\)  $1\$/\1/p" checksums.txt; }

formula() {
	cat <<RUBY
# Homebrew's formula of tare $version (https://docs.brew.sh/Formula-Cookbook).
class Tare < Formula
  desc "Measures what Kubernetes costs a MySQL database, and which layer the cost comes from"
  homepage "https://github.com/tarebench/tare"
  version "$version"
  license "Apache-2.0"
RUBY
	for pair in darwin:macos linux:linux; do
		for arch in arm64:arm amd64:intel; do
			file=tare_${version}_${pair%:*}_${arch%:*}.tar.gz
			[ -e "$file" ] || continue
			cat <<RUBY

  on_${pair#*:} do
    on_${arch#*:} do
      url "$from/$file"
      sha256 "$(sum "$file")"
    end
  end
RUBY
		done
	done
	cat <<RUBY

  def install
    bin.install "tare"
    # kubectl runs it as \`kubectl tare\`.
    bin.install_symlink "tare" => "kubectl-tare"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/tare.bash" => "tare"
    zsh_completion.install "completions/tare.zsh" => "_tare"
    fish_completion.install "completions/tare.fish"
    doc.install "docs", "examples"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/tare --version")
  end
end
RUBY
}

manifest() {
	cat <<YAML
# krew's manifest of tare $version (https://krew.sigs.k8s.io/docs/developer-guide/plugin-manifest/).
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: tare
spec:
  version: v$version
  homepage: https://github.com/tarebench/tare
  shortDescription: Measure what Kubernetes costs a MySQL database
  description: |
    Measures what Kubernetes costs a MySQL database, shows which layer the cost
    comes from, and tests the fix.
  platforms:
YAML
	for file in tare_"${version}"_*.tar.gz; do
		name=${file%.tar.gz}
		place=${name#tare_"${version}"_}
		suffix=
		[ "${place%_*}" != windows ] || suffix=.exe
		cat <<YAML
  - selector:
      matchLabels:
        os: ${place%_*}
        arch: ${place#*_}
    uri: $from/$file
    sha256: $(sum "$file")
    bin: tare$suffix
    files:
    - from: $name/tare$suffix
      to: .
    - from: $name/LICENSE
      to: .
YAML
	done
}

formula >tare.rb
manifest >krew.yaml
