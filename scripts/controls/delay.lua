-- WORKLOAD whose client waits before each transaction: a dose of known size. How long,
-- in microseconds, the server says: it is what lock_wait_timeout exceeds 86400 s by, an
-- option that a select never comes to feel. The wait spins: to sleep would add what the
-- kernel's timers round it up to.
require("WORKLOAD")
local ffi = require("ffi")
ffi.cdef [[
typedef struct { long seconds, nanoseconds; } dose_time;
int clock_gettime(int clock, dose_time *now);
]]
local monotonic, now = 1, ffi.new("dose_time")
local connect, send, dose = thread_init, event, 0

local function microseconds()
   ffi.C.clock_gettime(monotonic, now)
   return tonumber(now.seconds) * 1e6 + tonumber(now.nanoseconds) / 1e3
end

function thread_init()
   connect()
   dose = tonumber(con:query_row("SELECT @@GLOBAL.lock_wait_timeout")) - 86400
end

function event()
   if dose > 0 then
      local till = microseconds() + dose
      while microseconds() < till do end
   end
   send()
end
