// Writes the tables of docs/guardrails.md from libs/guardrails: the checks, and the recall of the
// detection of personal data. With --check it only checks that they are up to date.
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
require('./typescript.cjs');
const { CHECKS } = require('../libs/guardrails/src/index.ts');
const { piiQuality } = require('../libs/guardrails/src/spec-support/pii-quality.ts');
const { labelledSentences } = require('../libs/guardrails/src/spec-support/pii-set.ts');

const TARGET = join(__dirname, '../docs/guardrails.md');

/**
 * Escapes bars, which would end a table cell.
 * @param {string} text
 */
const cell = (text) => text.replaceAll('|', '\\|');
/** @param {string} text */
const code = (text) => `\`${text}\``;

/** @param {[string, { default?: unknown }]} entry @param {readonly string[]} required */
function parameter([name, { default: byDefault }], required) {
  if (required.includes(name)) return `${code(name)}*`;
  return byDefault === undefined ? code(name) : `${code(name)} ${code(JSON.stringify(byDefault))}`;
}

/** @param {(typeof CHECKS)[number]} check */
function checkRow({
  id,
  aliases = [],
  stages,
  wholeResponse,
  transforms,
  allowedForMcpTools,
  timeoutMs,
  parameters,
  doc,
}) {
  const { properties, required } = /** @type {{ properties: object; required: readonly string[] }} */ (
    parameters
  );
  const own = Object.entries(properties).filter(([name]) => name !== 'failOnError');
  const named = aliases.length > 0 ? `${code(id)}, also ${aliases.map(code).join(', ')}` : code(id);
  const traits = [
    stages.join(' and '),
    wholeResponse ? 'whole' : 'window',
    ...(transforms ? ['may change'] : []),
    ...(allowedForMcpTools ? [] : ['not for MCP']),
    `${timeoutMs} ms`,
  ].join(', ');
  const listed = own.map((each) => parameter(each, required)).join(', ') || '–';
  return `| ${named} | ${cell(doc)} | ${traits} | ${cell(listed)} |`;
}

function checksTable() {
  return [
    '| Check | Holds when | Traits | Parameters (required*, with defaults) |',
    '|---|---|---|---|',
    ...CHECKS.map(checkRow),
  ].join('\n');
}

function examples() {
  return CHECKS.map(({ id, example }) => `{ "id": "${id}", "parameters": ${JSON.stringify(example)} }`).join(
    '\n',
  );
}

function piiTable() {
  const sentences = labelledSentences();
  /** @param {number} share */
  const percent = (share) => `${(share * 100).toFixed(1)} %`;
  return [
    `${sentences.length} sentences, ${new Set(sentences.map(({ language }) => language)).size} languages, ${sentences.filter(({ places }) => places.length === 0).length} of them with nothing to find.`,
    '',
    '| Category | Labelled | Precision | Recall |',
    '|---|---|---|---|',
    ...piiQuality(sentences).map(
      ({ label, labelled, precision, recall }) =>
        `| ${code(label)} | ${labelled} | ${percent(precision)} | ${percent(recall)} |`,
    ),
  ].join('\n');
}

/** @param {string} text @param {string} name @param {string} content */
function withBlock(text, name, content) {
  const [start, end] = [`<!-- ${name} -->\n`, `\n<!-- /${name} -->`];
  const from = text.indexOf(start);
  const to = text.indexOf(end);
  if (from === -1 || to === -1) throw new Error(`docs/guardrails.md has no place for ${name}.`);
  return text.slice(0, from + start.length) + content + text.slice(to);
}

const before = readFileSync(TARGET, 'utf8');
let text = withBlock(before, 'checks', checksTable());
text = withBlock(text, 'examples', `\`\`\`json lines\n${examples()}\n\`\`\``);
text = withBlock(text, 'pii', piiTable());
if (!process.argv.includes('--check')) writeFileSync(TARGET, text);
else if (before !== text) {
  process.stderr.write('docs/guardrails.md is out of date: run node tools/guardrails-doc.cjs\n');
  process.exitCode = 1;
}
