<?php
// What the PHP programs print: one observation a line, name, tab, value.

$mode = getenv('STOCKGATE_CONFORMANCE_MODE') ?: 'plain';
$files = getenv('STOCKGATE_CONFORMANCE_FILES') ?: '.';
[, $host, $port, $user, $password, $schema] = $argv;
const STREAM = "SELECT a.i * 1000 + b.i AS n, REPEAT('x', 40) AS pad FROM t_thousand a, "
    . "t_thousand b WHERE a.i <= 200 ORDER BY 1";

function statements(): array
{
    $lines = file(__DIR__ . '/statements.txt', FILE_IGNORE_NEW_LINES);
    return array_values(array_filter($lines, fn ($line) => $line !== '' && $line[0] !== '#'));
}

function show(mixed $value): string
{
    $text = var_export($value, true);
    $text = preg_replace('/\s*\n\s*/', ' ', $text);
    $text = preg_replace_callback('/[\x00-\x1f\\\\]/', fn ($m) => sprintf('\\x%02x', ord($m[0])), $text);
    return strlen($text) <= 2000 ? $text
        : substr($text, 0, 60) . '.. ' . strlen($text) . ' bytes, sha1 ' . sha1($text);
}

function observe(string $name, mixed $value): void
{
    echo $name, "\t", show($value), "\n";
}

function blob(): string
{
    return str_repeat(implode('', array_map('chr', range(0, 255))), 80 * 1024);
}

function run_checks(array $checks): void
{
    foreach ($checks as $check) {
        $name = substr($check, 6);
        try {
            foreach ($check() as $part => $value) {
                observe("$name.$part", $value);
            }
        } catch (Throwable $error) {
            echo "$name.end\tUNEXPECTED ", get_class($error), ' ', $error->getMessage(), ' line ',
                $error->getLine(), "\n";
        }
    }
}
