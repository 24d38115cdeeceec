// Writes docs/log-fields.md from the columns of the request log. With --check it only checks that
// the file is up to date.
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
require('./typescript.cjs');
const { LOG_FIELDS } = require('../libs/contracts/src/index.ts');
const { LOG_COLUMNS } = require('../libs/log-store/src/rows/log-columns.ts');

const TARGET = join(__dirname, '../docs/log-fields.md');

const NONE = '–';
/**
 * Escapes bars, which would end a table cell.
 * @param {string} text
 */
const cell = (text) => text.replaceAll('|', '\\|');
/** @param {string | undefined} text */
const code = (text) => (text === undefined ? NONE : `\`${text}\``);

/** @param {string} name @param {any} filter */
function filters(name, { anyOf, alias, between } = {}) {
  const names = [
    ...(anyOf ? [name, ...(alias ? [alias.name] : [])] : []),
    ...(between ? [`${between.name}_min`, `${between.name}_max`] : []),
  ];
  return names.map(code).join(', ') || NONE;
}

/** @param {[string, any]} entry */
function row([name, { sql, unit, about, filter, shown, exported, fact }]) {
  const type = unit === undefined ? sql : `${sql}, ${unit}`;
  const cells = [
    code(name),
    code(/** @type {any} */ (LOG_FIELDS)[name]?.member),
    type,
    cell(about),
    code(shown?.as),
  ];
  return `| ${[...cells, filters(name, filter), code(exported?.as), code(fact)].join(' | ')} |`;
}

const text = `# Fields of a log

This file is made of \`LOG_FIELDS\` and \`LOG_COLUMNS\` by \`node tools/log-fields-doc.cjs\`; a test fails
when it is out of date. How to add a field: [logs.md](logs.md).

- **Column**: name in the table \`request_logs\`, with the type and unit of its values.
- **Record**: name in the record that a gateway sends.
- **API**: name in \`GET /v1/logs\`. Id and time keep their names; tokens, cost,
  bodies and the decision record have other forms there.
- **Filter**: parameters of \`GET /v1/logs\`. Time, status, cost and tokens have parameters of their
  own (\`time_of_generation_min\`, \`status\`, \`cost_min\`, \`total_units_min\`, …).
- **Export**: name in exports. Money is exported in US cents.
- **ClickHouse**: type in the table of analytics. Tokens and what the store derives are there too.

| Column | Record | Type, unit | Meaning | API | Filter | Export | ClickHouse |
| --- | --- | --- | --- | --- | --- | --- | --- |
${Object.entries(LOG_COLUMNS).map(row).join('\n')}
`;

if (!process.argv.includes('--check')) writeFileSync(TARGET, text);
else if (readFileSync(TARGET, 'utf8') !== text) {
  process.stderr.write('docs/log-fields.md is out of date: run node tools/log-fields-doc.cjs\n');
  process.exitCode = 1;
}
