-- sysbench: each event is a connection of its own, one statement on it, and its close.

function thread_init()
   driver = sysbench.sql.driver()
end

function event()
   local connection = driver:connect()
   connection:query("SELECT 1")
   connection:disconnect()
end
