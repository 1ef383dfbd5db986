#!/usr/bin/perl
# DBD::mysql and DBD::MariaDB. Arguments: mysql|MariaDB host port user password schema.

use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));
use Data::Dumper;
use DBI;
use Digest::SHA qw(sha1_hex);
use FindBin;
use POSIX ();
use Time::HiRes qw(sleep);

my ($driver, $host, $port, $user, $password, $schema) = @ARGV;
my $mode = $ENV{STOCKGATE_CONFORMANCE_MODE} // 'plain';
my $files = $ENV{STOCKGATE_CONFORMANCE_FILES} // '.';
my $prefix = lc $driver;
my $stream = "SELECT a.i * 1000 + b.i AS n, REPEAT('x', 40) AS pad FROM t_thousand a, "
    . "t_thousand b WHERE a.i <= 200 ORDER BY 1";
$Data::Dumper::Indent = 0;
$Data::Dumper::Terse = 1;
$Data::Dumper::Sortkeys = 1;
$Data::Dumper::Useqq = 1;
$| = 1;
my $ended = 0;

sub observe {
    my ($name, @values) = @_;
    my $text = Dumper(@values == 1 ? $values[0] : \@values);
    if (length $text > 2000) {
        my $bytes = $text;
        utf8::encode($bytes);
        $text = substr($text, 0, 60) . '.. ' . length($text) . ' letters, sha1 ' . sha1_hex($bytes);
    }
    print "$name\t$text\n";
}

sub statements {
    open my $list, '<', "$FindBin::Bin/statements.txt" or die $!;
    my @lines = grep { !/^#/ && /\S/ } <$list>;
    chomp @lines;
    return @lines;
}

sub connect_or_not {
    my (%with) = @_;
    my $options = join ';', "host=$host", "port=$port", 'database=' . ($with{schema} // $schema),
        "${prefix}_local_infile=1", 'mariadb_multi_statements=1',
        ($mode eq 'compress' ? "${prefix}_compression=1" : ()),
        ($mode eq 'tls' ? ("${prefix}_ssl=1", "${prefix}_ssl_optional=1") : ()), @{ $with{options} // [] };
    $options =~ s/mariadb_multi/mysql_multi/ if $driver eq 'mysql';
    return DBI->connect("DBI:$driver:$options", $with{user} // $user, $with{password} // $password,
        { RaiseError => 0, PrintError => 0, AutoCommit => 1,
          ($driver eq 'mysql' ? (mysql_enable_utf8mb4 => 1) : ()), %{ $with{attributes} // {} } });
}

sub connect_to {
    return connect_or_not(@_) || die "no connection: $DBI::errstr";
}

sub failure {
    my ($handle) = @_;
    return ['error', $handle->err, $handle->state, $handle->errstr];
}

sub outcome {
    my ($link, $statement) = @_;
    my @answers;
    do {
        my @answer = ($statement->rows, $statement->{"${prefix}_insertid"},
            $statement->{"${prefix}_warning_count"}, $link->{"${prefix}_info"});
        if ($statement->{NUM_OF_FIELDS}) {
            push @answer, map { [ @{ $statement->{$_} // [] } ] }
                qw(NAME TYPE PRECISION SCALE NULLABLE), "${prefix}_type_name", "${prefix}_length";
            push @answer, $statement->fetchall_arrayref;
        }
        push @answers, \@answer;
    } while ($statement->more_results);
    push @answers, failure($statement) if $statement->err;
    return \@answers;
}

sub ask {
    my ($link, $sql, @values) = @_;
    my $statement = $link->prepare($sql) or return failure($link);
    $statement->execute(@values) or return failure($statement);
    return outcome($link, $statement);
}

sub check_connect {
    my $link = connect_to();
    observe('connect.server', $link->{"${prefix}_serverinfo"}, $link->{"${prefix}_protoinfo"});
    observe('connect.same id', ask($link,
        'SELECT CONNECTION_ID() = ' . $link->{"${prefix}_thread_id"} . ' AS same'));
    observe('connect.ping', $link->ping);
    observe('connect.statistics', $link->{"${prefix}_stat"});
    observe('connect.session', ask($link, "SHOW STATUS LIKE 'Compression'"));
    observe('connect.cipher', ($link->selectrow_array("SHOW STATUS LIKE 'Ssl_cipher'"))[1] ne '');
    my @logins = ({ password => 'wrong' }, { user => 'nobody' }, { schema => 'nowhere' });
    for my $number (0 .. $#logins) {
        my $refused = connect_or_not(%{ $logins[$number] });
        observe("connect.login $number", $refused ? 'UNEXPECTED login' :
            [$DBI::err, $DBI::state, $DBI::errstr]);
    }
    observe('connect.tables', sort $link->tables);
}

sub check_statements {
    for my $prepared (0, 1) {
        my $link = connect_to(options => ["${prefix}_server_prepare=$prepared"]);
        $link->do('DELETE FROM t_order');
        $link->do('ALTER TABLE t_order AUTO_INCREMENT = 1');
        $link->do("UPDATE t_stock SET stock = 1000, title = 'item' WHERE sku_id = 2002");
        my $number = 0;
        for my $sql (statements()) {
            observe(sprintf('statements.%d %03d %.50s', $prepared, $number++, $sql),
                ask($link, $sql));
        }
    }
}

sub check_prepared {
    for my $prepared (0, 1) {
        my $link = connect_to(options => ["${prefix}_server_prepare=$prepared"]);
        observe("prepared.$prepared kinds", ask($link, 'SELECT ?, ?, ?, ?', -5, 2.5, 'żółw 😀', undef));
        my $statement = $link->prepare(
            'UPDATE t_stock SET stock = stock - ? WHERE sku_id = ? AND stock >= ?');
        observe("prepared.$prepared deduct", map { $statement->execute($_, 2002, $_) } 1 .. 3);
        observe("prepared.$prepared call", ask($link, 'CALL p_two()'));
        observe("prepared.$prepared out", ask($link, 'CALL p_out(?, @b, @c)', 21));
        observe("prepared.$prepared fails", ask($link, 'CALL p_fails()'));
        $statement = $link->prepare('INSERT INTO t_load VALUES (?, ?)');
        my @status;
        observe("prepared.$prepared batch", $statement->execute_array({ ArrayTupleStatus => \@status },
            [1 .. 500], [map { "row $_" } 1 .. 500]), scalar(@status));
        observe("prepared.$prepared loaded", ask($link, 'SELECT COUNT(*), SUM(id) FROM t_load'));
        $link->do('DELETE FROM t_load');
    }
}

sub check_found_rows {
    for my $found (0, 1) {
        my $link = connect_to(options => ["${prefix}_client_found_rows=$found"]);
        observe("found.$found $_", $link->do("UPDATE t_stock SET stock = $_ WHERE sku_id = 2002"))
            for 'stock', 'stock + 1';
    }
}

sub check_results {
    my $link = connect_to();
    my $number = 0;
    for my $sql ("SELECT 1; SELECT 2, 'b'; DO 1", 'CALL p_two()', 'CALL p_fails()',
        'SELECT 1; SELECT * FROM nowhere; SELECT 3', 'CALL p_two(); SELECT 9') {
        observe('results.' . $number++, ask($link, $sql));
    }
    observe('results.behind', ask($link, 'SELECT 4'));
}

sub check_transactions {
    my ($link, $other) = (connect_to(attributes => { AutoCommit => 0 }), connect_to());
    my $look = "SELECT COUNT(*) FROM t_order WHERE order_no = 'C-1'";
    $link->do("INSERT INTO t_order (order_no, sku_id, quantity) VALUES ('C-1', 1, 1)");
    observe('transactions.not seen', ask($other, $look));
    observe('transactions.commit', $link->commit, ask($other, $look));
    $link->do("DELETE FROM t_order WHERE order_no = 'C-1'");
    observe('transactions.rollback', $link->rollback, ask($link, $look));
    $link->disconnect;
}

sub check_big {
    my $blob = join('', map { chr } 0 .. 255) x (80 * 1024);
    utf8::downgrade($blob);
    for my $prepared (0, 1) {
        my $link = connect_to(options => ["${prefix}_server_prepare=$prepared"]);
        my $statement = $link->prepare('REPLACE INTO t_blob VALUES (1, ?)');
        $statement->bind_param(1, $blob, DBI::SQL_BLOB());
        observe("big.$prepared written", $statement->execute);
        observe("big.$prepared arrived", ask($link, 'SELECT LENGTH(body), SHA2(body, 256) FROM t_blob'));
        $link->{LongReadLen} = 32 << 20;
        my ($back) = $link->selectrow_array('SELECT body FROM t_blob');
        observe("big.$prepared read", length($back // ''), sha1_hex($back // ''));
    }
}

sub check_stream {
    my $link = connect_to();
    my $statement = $link->prepare($stream, { "${prefix}_use_result" => 1 });
    $statement->execute;
    observe("stream.opened", failure($statement)) if $statement->err;
    my ($count, $sum) = (0, 0);
    while (my $row = $statement->fetchrow_arrayref) { $count++; $sum += $row->[0]; }
    observe('stream.all', $count, $sum);
    $statement->execute;
    $statement->fetchrow_arrayref;
    $statement->finish;
    observe('stream.behind', ask($link, 'SELECT 5'));
}

sub check_load {
    my $link = connect_to();
    for my $name (qw(small large empty missing bad)) {
        observe("load.$name", ask($link,
            "LOAD DATA LOCAL INFILE '$files/$name.tsv' INTO TABLE t_load (id, body)"));
        observe("load.$name, loaded", ask($link,
            'SELECT COUNT(*), SHA2(GROUP_CONCAT(id, body ORDER BY id), 256) FROM t_load'));
        $link->do('DELETE FROM t_load');
    }
}

sub kill_soon {
    my ($verb, $identity) = @_;
    my $child = fork;
    return $child if $child;
    my $link = connect_to();
    for (1 .. 500) {
        my ($found) = $link->selectrow_array('SELECT COUNT(*) FROM information_schema.processlist '
            . "WHERE id = $identity AND info LIKE 'SELECT SLEEP%'");
        last if $found;
        sleep 0.02;
    }
    $link->do("$verb $identity");
    POSIX::_exit(0);    # without the parent's connections being closed
}

sub check_kill {
    for my $verb ('KILL QUERY', 'KILL') {
        my $link = connect_to();
        my $child = kill_soon($verb, $link->{"${prefix}_thread_id"});
        observe("kill.$verb", ask($link, 'SELECT SLEEP(20)'));
        waitpid $child, 0;
        observe("kill.$verb, ping", $link->ping);
        observe("kill.$verb, next", ask($link, 'SELECT 6'));
    }
}

for my $check (\&check_connect, \&check_statements, \&check_prepared, \&check_found_rows,
    \&check_results, \&check_transactions, \&check_big, \&check_stream, \&check_load, \&check_kill) {
    local $@;
    eval { $check->(); 1 } or do {
        my $error = $@;
        $error =~ s/\s+/ /g;
        print "end.", ++$ended, "\tUNEXPECTED $error\n";
    };
}
