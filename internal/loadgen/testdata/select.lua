-- A test of the user's own, with a part of it in a file beside it.
require("select_part")

sysbench.cmdline.options = {
   what = {"What to select", "1"}
}

function event()
   con:query("SELECT " .. sysbench.opt.what)
end
