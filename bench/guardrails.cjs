'use strict';

/**
 * Measures the cost of guardrails: CPU of each check per KB of text and of ten checks on a request of 2 KB, how long the worst patterns
 * block the event loop, and how much of a stream arrives before its first text is sent. It measures its own process, so a busy machine
 * raises the figures. Exits with 1 when a bar is missed.
 *
 *     npm run bench:guardrails -- [--quick]
 *
 * `--quick`: fewer runs of each check; its figures show only that the benchmark runs.
 */
const { performance } = require('node:perf_hooks');
const { parseArgs } = require('node:util');
const { TEN } = require('./lib/ten-checks.cjs');
require('../tools/typescript.cjs');
const {
  CHECKS,
  compileGuardrail,
  GuardrailRunner,
  StreamGuard,
  Subject,
} = require('../libs/guardrails/src/index.ts');

const { values: options } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
/** Runs of a check before it is measured, and in each measured round. */
const [WARM_RUNS, RUNS] = options.quick ? [100, 50] : [3_000, 1_000];

/** @typedef {import('../libs/guardrails/src/index.ts').CompiledGuardrail} CompiledGuardrail */

/** @type {import('../libs/guardrails/src/index.ts').RequestFacts} */
const FACTS = {
  dialect: 'chat',
  requestType: 'chatComplete',
  isPassthrough: false,
  method: 'POST',
  path: '/v1/chat/completions',
  contentType: 'application/json',
  provider: 'openai',
  model: 'gpt-4o-mini',
  metadata: { team: 'research' },
  headers: {},
  isStreaming: false,
};
/** @type {import('../libs/guardrails/src/index.ts').GuardrailPort} */
const PORT = {
  call: () => Promise.reject(new Error('no model is called')),
  resolves: () => Promise.resolve(false),
  now: () => Date.now(),
  elapsed: () => performance.now(),
};
/** Characters of a text that is measured. @typedef {2_048 | 10_240} Size */

const SENTENCES =
  'The delivery of the second order, number 48213, was late by two days; could you tell me what happened? ' +
  'I would like to have the invoice sent again, because the first one shows the wrong address of our office. ' +
  'Please write a friendly answer to the customer, in three sentences, and offer a discount of 10 percent. ';
/** @param {number} length */
const textOf = (length) => SENTENCES.repeat(Math.ceil(length / SENTENCES.length)).slice(0, length);
/** @param {number} length */
const requestOf = (length) => ({
  model: 'gpt-4o-mini',
  messages: [
    { role: 'system', content: 'You help the customers of a shop.' },
    { role: 'user', content: textOf(Math.floor(length / 2)) },
    { role: 'assistant', content: 'Of course.' },
    { role: 'user', content: textOf(Math.ceil(length / 2)) },
  ],
});
/** @param {number} length */
const responseOf = (length) => ({
  choices: [{ index: 0, message: { role: 'assistant', content: textOf(length) } }],
});
/**
 * @template T
 * @param {(length: Size) => T} make
 */
const bySize = (make) => ({ 2_048: make(2_048), 10_240: make(10_240) });
const REQUESTS = bySize(requestOf);
const RESPONSES = bySize(responseOf);
/** Parameters of checks that are not measured with those of their example. */
/** @type {Record<string, object>} */
const OWN = {
  'default.containsCode': { not: true },
  'gw.pii': {},
  'default.inlineImageUrls': {},
};
/** Checks that call no service, although guardrails of MCP tools may not contain them. */
const OWN_HEURISTICS = ['gw.pii', 'gw.language', 'gw.gibberish'];
/** Checks that may call another service, which determines their cost. */
const CALLING = ['default.webhook', 'default.log', 'default.jwt'];

/** @param {readonly object[]} checks */
const guardrailOf = (checks) => {
  const result = compileGuardrail({ checks, actions: { deny: true } }, { id: 'bench' });
  if (!result.ok) throw new Error(JSON.stringify(result.details));
  return result.guardrail;
};

/**
 * Returns the microseconds of CPU of one run: the lowest of several rounds, since other work can only raise a figure.
 * @param {readonly CompiledGuardrail[]} guardrails
 * @param {() => Subject} subject
 */
function cost(guardrails, subject) {
  const runner = new GuardrailRunner(PORT);
  const run = () => {
    const verdict = runner.run(guardrails, subject());
    if (verdict instanceof Promise) throw new Error('A check returned a promise.');
  };
  for (let times = 0; times < WARM_RUNS; times += 1) run();
  let best = Infinity;
  for (let round = 0; round < 5; round += 1) {
    const before = process.cpuUsage();
    for (let times = 0; times < RUNS; times += 1) run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / RUNS);
  }
  return best;
}

/** Returns the CPU time of this thread so far (of the process before Node 23), in milliseconds. */
const threadMs = () => {
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage).call(process);
  return (user + system) / 1_000;
};

/**
 * Returns the longest CPU time in milliseconds for which a search blocked the event loop.
 * @param {string} rule
 * @param {string} text
 */
async function longestHold(rule, text) {
  const result = compileGuardrail({
    checks: [{ id: 'default.regexMatch', parameters: { rule, not: true } }],
  });
  if (!result.ok) return { refused: true };
  const runner = new GuardrailRunner(PORT);
  const subject = Subject.input(FACTS, { messages: [{ role: 'user', content: text }] });
  let longest = 0;
  let last = threadMs();
  let isOver = false;
  const tick = () => {
    longest = Math.max(longest, threadMs() - last);
    last = threadMs();
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  await new Promise((resolve) => setImmediate(resolve));
  const verdict = await runner.run([result.guardrail], subject);
  isOver = true;
  tick();
  return { longest, error: verdict.results[0]?.checks[0]?.error?.message };
}

/** @type {readonly (readonly [rule: string, text: string])[]} */
const PATTERNS = [
  ['^(a+)+$', `${'a'.repeat(100_000)}!`],
  ['(a|a)*b', 'a'.repeat(100_000)],
  ['(.*a){25}b', 'a'.repeat(100_000)],
  ['(x+x+)+y', 'x'.repeat(500_000)],
  ['([a-z]+[0-9]?)+!', 'abc1'.repeat(100_000)],
  ['\\s+$', `${' '.repeat(60_000)}x`],
  ['(?:a?){30}a{30}b', 'a'.repeat(100_000)],
  ['[a-z]*[0-9][a-z]{40}x', 'ab1'.repeat(100_000)],
  ['(?:\\ba?\\w ?){20}!', 'ab '.repeat(100_000)],
  ['\\b(?:[a-c]+ ?\\b)*[xyz]\\b', 'ab c'.repeat(100_000)],
];

/** @type {import('../libs/guardrails/src/index.ts').StreamChannel} */
const CHANNEL = { choice: 0, kind: 'text', index: 0 };

/**
 * Returns the microseconds of CPU for each piece of a stream, at four characters a piece.
 * @param {readonly CompiledGuardrail[]} guardrails
 */
function costOfStream(guardrails) {
  const runner = new GuardrailRunner(PORT);
  const text = textOf(8_000);
  const options = { port: PORT, runner, guardrails, facts: FACTS, request: null };
  const run = () => {
    const guard = new StreamGuard(options);
    for (let at = 0; at < text.length; at += 4) guard.push(CHANNEL, text.slice(at, at + 4));
    void guard.end();
  };
  for (let times = 0; times < 20; times += 1) run();
  const before = process.cpuUsage();
  for (let times = 0; times < 30; times += 1) run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 30 / (text.length / 4);
}

/**
 * Returns the characters of a stream that have arrived when its first text is sent (`came`), and those of the longest window.
 * @param {readonly object[]} checks
 */
function firstToken(checks) {
  const guardrails = [guardrailOf(checks)];
  const guard = new StreamGuard({
    port: PORT,
    runner: new GuardrailRunner(PORT),
    guardrails,
    facts: FACTS,
    request: null,
  });
  const windows = guardrails
    .flatMap(({ output }) => output)
    .map(({ prepared }) => prepared.window?.lengthMax ?? 0);
  const text = textOf(8_000);
  for (let at = 0; at < text.length; at += 4) {
    if (guard.push(CHANNEL, text.slice(at, at + 4)).text !== '')
      return { came: at + 4, window: Math.max(...windows) + 1 };
  }
  return { came: Infinity, window: Math.max(...windows) + 1 };
}

const [PATTERN, WORDS] = [TEN.slice(0, 1), TEN.slice(2, 3)];
const PERSONAL = [{ id: 'gw.pii', parameters: {} }];
const WINDOWED = {
  'a list of words': WORDS,
  'a pattern': PATTERN,
  'personal data': PERSONAL,
  'all three': [...PATTERN, ...WORDS, ...PERSONAL],
};

/** @param {string} line */
const say = (line) => process.stdout.write(`${line}\n`);

/**
 * Whether a check judges a text without a call to another service.
 * @param {import('../libs/guardrails/src/index.ts').CheckDefinition} check
 */
const isLocal = ({ id, allowedForMcpTools, kind }) =>
  !CALLING.includes(id) &&
  id !== 'default.validUrls' &&
  (allowedForMcpTools || kind !== 'text' || OWN_HEURISTICS.includes(id));

/** Measures each check, and returns the cost of ten checks on 2 KB in µs of CPU. */
function costOfChecks() {
  say('check | µs of CPU on 2 KB | µs for each further KB');
  for (const { id, stages, example } of CHECKS.filter(isLocal)) {
    const guardrails = [guardrailOf([{ id, parameters: OWN[id] ?? example }])];
    const at = (/** @type {Size} */ length) =>
      stages.includes('input')
        ? cost(guardrails, () => Subject.input(FACTS, REQUESTS[length]))
        : cost(guardrails, () => Subject.output(FACTS, null, RESPONSES[length], 200));
    const small = at(2_048);
    say(`${id} | ${small.toFixed(1)} | ${((at(10_240) - small) / 8).toFixed(2)}`);
  }
  const ten = cost([guardrailOf(TEN)], () => Subject.input(FACTS, REQUESTS[2_048]));
  say(`\nten checks on a request of 2 KB: ${ten.toFixed(0)} µs of CPU (bar: 200)`);
  const window = [guardrailOf([{ id: 'gw.pii', parameters: { redact: true } }, ...PATTERN, ...WORDS])];
  say(
    `three windowed checks on a stream: ${costOfStream(window).toFixed(1)} µs of CPU for each piece of 4 characters\n`,
  );
  return ten;
}

/** Returns the longest time for which a pattern blocks the event loop, in ms of CPU. */
async function longestOfPatterns() {
  for (const [rule, text] of PATTERNS) await longestHold(rule, text.slice(0, 2_000));
  let worst = 0;
  for (const [rule, text] of PATTERNS) {
    const { refused, longest = 0, error } = await longestHold(rule, text);
    worst = Math.max(worst, longest);
    say(
      `${rule} on ${text.length} characters: ${refused ? 'refused' : `${longest.toFixed(1)} ms of CPU without a break`}${error ? ` (${error})` : ''}`,
    );
  }
  say(`longest block of the event loop by a pattern: ${worst.toFixed(1)} ms (bar: 20)`);
  return worst;
}

/** Returns the longest delay of the first text of a stream, in windows of the checks that judge it. */
function longestDelay() {
  let slowest = 0;
  for (const [name, checks] of Object.entries(WINDOWED)) {
    const { came, window } = firstToken(checks);
    slowest = Math.max(slowest, came / window);
    say(
      `first text of a stream judged by ${name}: sent when ${came} characters have arrived, window ${window}`,
    );
  }
  say(`longest delay of a first text: ${slowest.toFixed(2)} windows (bar: 2)`);
  return slowest;
}

async function main() {
  const ten = costOfChecks();
  const worst = await longestOfPatterns();
  const slowest = longestDelay();
  process.exitCode = ten < 200 && worst < 20 && slowest < 2 ? 0 : 1;
}

void main();
