-- sysbench: each event reads --rows neighbouring rows by primary key.

sysbench.cmdline.options = {
   rows = {"Rows of each result", 1000},
   table_size = {"Rows of the table", 20000},
}

function thread_init()
   connection = sysbench.sql.driver():connect()
end

function thread_done()
   connection:disconnect()
end

function event()
   local first = sysbench.rand.uniform(1, sysbench.opt.table_size - sysbench.opt.rows + 1)
   connection:query(string.format(
      "SELECT id, k, c, pad FROM sbtest1 WHERE id BETWEEN %d AND %d",
      first, first + sysbench.opt.rows - 1))
end
