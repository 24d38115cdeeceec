// Writes the table of docs/providers.md from the providers. With --check it only checks that the
// table is up to date.
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
require('./typescript.cjs');
const { providerFacts, PROVIDERS } = require('../libs/providers/src/index.ts');

const TARGET = join(__dirname, '../docs/providers.md');
const START = '| Id |';

/** @param {readonly string[]} names */
const codes = (names) => names.map((name) => `\`${name}\``).join(', ');

/** Families that clients of each dialect call, and families that follow from them. */
const OF_CLIENTS = /^(chat\.completions|responses|messages|messages\.count_tokens|gemini\..+)$/;

/** @param {readonly string[]} native @param {readonly string[]} translated */
const families = (native, translated) =>
  [
    ...native.filter((kind) => !OF_CLIENTS.test(kind)),
    ...translated.filter((kind) => !OF_CLIENTS.test(kind)).map((kind) => `~${kind}`),
  ].join(', ');

/** @param {import('../libs/providers/src/index.ts').Provider} provider */
function row(provider) {
  const { id, aliases, regions, dialects, native, translated, documentation, priced, selfHosted } =
    providerFacts(provider);
  const settings = (provider.fields ?? []).filter(({ name }) => name !== 'provider_region');
  const named = settings.map(({ name, required }) => (required === true ? `\`${name}\`*` : `\`${name}\``));
  const region = regions.length > 0 ? [`\`provider_region\`: ${codes(regions)}`] : [];
  const cells = [
    `\`${id}\``,
    codes(aliases),
    documentation === null ? provider.name : `[${provider.name}](${documentation})`,
    dialects.join(', '),
    families(native, translated),
    [...(selfHosted ? ['`custom_host`*'] : []), ...named, ...region].join(', '),
    priced ? 'yes' : '',
  ];
  return `| ${cells.join(' | ')} |`.replace(/ {2,}/g, ' ');
}

const table = [
  `${START} Aliases | Provider | Dialects | Other route families | Settings and regions | Priced |`,
  '|---|---|---|---|---|---|---|',
  ...[...PROVIDERS.values()].map(row),
  '',
].join('\n');

const known = readFileSync(TARGET, 'utf8');
const text = known.slice(0, known.indexOf(START)) + table;
if (!process.argv.includes('--check')) writeFileSync(TARGET, text);
else if (known !== text) {
  process.stderr.write('docs/providers.md is out of date: run node tools/providers-doc.cjs\n');
  process.exitCode = 1;
}
