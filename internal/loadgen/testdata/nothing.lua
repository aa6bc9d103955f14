-- A test that commits nothing: its event never ends as one.
function thread_init()
   con = sysbench.sql.driver():connect()
end

function event()
   con:query("SELECT SLEEP(3)")
   return true
end
