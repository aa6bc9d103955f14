-- Single statements of which read_percent in 100 read a row by its primary key; the
-- others change one row, half of them an indexed column. Each is a transaction of its
-- own, or with --skip_trx=on a statement without BEGIN and COMMIT. Data and the other
-- options are those of sysbench's oltp_common.lua.
require("oltp_common")

sysbench.cmdline.options.read_percent = {"Percentage of the statements that read", 80}
sysbench.cmdline.options.point_selects = {"Point selects of a statement that reads", 1}

function prepare_statements()
   if not sysbench.opt.skip_trx then
      prepare_begin()
      prepare_commit()
   end
   prepare_point_selects()
   prepare_index_updates()
   prepare_non_index_updates()
end

function event()
   if not sysbench.opt.skip_trx then
      begin()
   end
   if sysbench.rand.uniform(1, 100) <= sysbench.opt.read_percent then
      execute_point_selects()
   elseif sysbench.rand.uniform(1, 2) == 1 then
      execute_index_updates()
   else
      execute_non_index_updates()
   end
   if not sysbench.opt.skip_trx then
      commit()
   end
end
