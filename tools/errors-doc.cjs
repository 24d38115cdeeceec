// Writes docs/errors.md from the catalogue in libs/kernel/src/errors.ts. With --check it only
// checks that the file is up to date.
const { readFileSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const { transformFileSync } = require('@swc/core');

const ROOT = join(__dirname, '..');
const TARGET = join(ROOT, 'docs', 'errors.md');

const FAMILIES = {
  AB01: 'The request is not valid. Sending it again unchanged fails again.',
  AB02: 'There is no such route, or it does not take this method.',
  AB03: 'The caller is known and may not do this.',
  AB04: 'The fault is ours or the provider’s, or time ran out. Trying again may help.',
  AB05: 'The caller is not known, or the credential is over.',
  AB06: 'A rate limit was reached. `Retry-After` says when to come back.',
  AB07: 'The change conflicts with what is there.',
  AB08: 'There is no such thing, or it is another tenant’s.',
  AB09: 'A budget is exhausted, or the model is not enabled.',
};

/**
 * Returns the exports of a TypeScript file that imports nothing.
 * @param {string} path
 */
function load(path) {
  const { code } = transformFileSync(path, {
    swcrc: false,
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'commonjs' },
  });
  // The types of Node.js lack `_compile`.
  /** @type {any} */
  const loaded = new Module(path);
  loaded._compile(code, path);
  return loaded.exports;
}

/** @param {typeof import('../libs/kernel/src/errors.ts')} catalogue */
function render({ ERRORS, GatewayError }) {
  const types = Object.entries(ERRORS);
  const strangers = types.filter(([, { code }]) => !(code in FAMILIES)).map(([type]) => type);
  if (strangers.length > 0) throw new Error(`No family is described for ${strangers.join(', ')}.`);
  const example = new GatewayError('validation_failed', {
    message: 'name: must be a text',
    param: 'name',
    details: [{ path: 'name', message: 'must be a text' }],
  }).toBody('0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90');
  return `# Errors

This file is made of \`libs/kernel/src/errors.ts\` by \`node tools/errors-doc.cjs\`; a test
fails when it is out of date.

Every error of both planes has this body, and its request id in the header \`x-gw-request-id\`:

\`\`\`json
${JSON.stringify(example, null, 2)}
\`\`\`

| Member | Meaning |
| --- | --- |
| \`message\` | For people. Its text may change. |
| \`type\` | The stable reason, one of the types below. |
| \`param\` | The field or header at fault, or null. |
| \`code\` | The family of the type. |
| \`request_id\` | The same as the header; quote it when you ask for help. |
| \`details\` | Where a request breaks several rules: each place, in dots, with the rule. Absent otherwise. |

Some types add members: a limit names itself under \`limit\`, a provider's own answer
is under \`provider_error\`. Protocols with error shapes of their own (JSON-RPC, SCIM, OAuth, and
the dialects of providers other than OpenAI) keep theirs.

## Families

| Code | Meaning |
| --- | --- |
${Object.entries(FAMILIES)
  .map(([code, meaning]) => `| ${code} | ${meaning} |`)
  .join('\n')}

## Types

| Type | Code | Status | Meaning |
| --- | --- | --- | --- |
${types.map(([type, { code, status, message }]) => `| \`${type}\` | ${code} | ${status} | ${message} |`).join('\n')}
`;
}

const text = render(load(join(ROOT, 'libs', 'kernel', 'src', 'errors.ts')));
if (!process.argv.includes('--check')) writeFileSync(TARGET, text);
else if (readFileSync(TARGET, 'utf8') !== text) {
  process.stderr.write('docs/errors.md is out of date: run node tools/errors-doc.cjs\n');
  process.exitCode = 1;
}
