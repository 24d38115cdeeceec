// What guardrails cost: CPU of each check by KB of text, of ten checks on a request of 2 KB, for how long the worst patterns hold
// the event loop, and how much of a stream comes before its first text goes out. `npm run bench:guardrails`; it measures its
// own process, so a busy machine makes the figures larger.
const { performance } = require('node:perf_hooks');
const { TEN } = require('./lib/ten-checks.cjs');
require('../tools/typescript.cjs');
const {
  CHECKS,
  compileGuardrail,
  GuardrailRunner,
  StreamGuard,
  Subject,
} = require('../libs/guardrails/src/index.ts');

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
const PORT = {
  call: () => Promise.reject(new Error('no model is called')),
  resolves: () => Promise.resolve(false),
  now: () => Date.now(),
  elapsed: () => performance.now(),
};
const SENTENCES =
  'The delivery of the second order, number 48213, was late by two days; could you tell me what happened? ' +
  'I would like to have the invoice sent again, because the first one shows the wrong address of our office. ' +
  'Please write a friendly answer to the customer, in three sentences, and offer a discount of 10 percent. ';
const textOf = (length) => SENTENCES.repeat(Math.ceil(length / SENTENCES.length)).slice(0, length);
const requestOf = (length) => ({
  model: 'gpt-4o-mini',
  messages: [
    { role: 'system', content: 'You help the customers of a shop.' },
    { role: 'user', content: textOf(Math.floor(length / 2)) },
    { role: 'assistant', content: 'Of course.' },
    { role: 'user', content: textOf(Math.ceil(length / 2)) },
  ],
});
const answerOf = (length) => ({
  choices: [{ index: 0, message: { role: 'assistant', content: textOf(length) } }],
});
const OWN = {
  'default.containsCode': { not: true },
  'gw.pii': {},
  'default.inlineImageUrls': {},
};
/** They call no service, though no MCP server's tools may wait for them. */
const OWN_HEURISTICS = ['gw.pii', 'gw.language', 'gw.gibberish'];
/** Those that ask others cost what the others take. */
const ASKING = ['default.webhook', 'default.log', 'default.jwt'];

const guardrailOf = (checks) => {
  const result = compileGuardrail({ checks, actions: { deny: true } }, { id: 'bench' });
  if (!result.ok) throw new Error(JSON.stringify(result.details));
  return result.guardrail;
};

/** Microseconds of CPU of one run; the least of several rounds, as the others were disturbed. */
function cost(guardrails, subject) {
  const runner = new GuardrailRunner(PORT);
  const run = () => {
    const verdict = runner.run(guardrails, subject());
    if (verdict instanceof Promise) throw new Error('A check waits.');
  };
  for (let times = 0; times < 3_000; times += 1) run();
  let best = Infinity;
  for (let round = 0; round < 5; round += 1) {
    const before = process.cpuUsage();
    for (let times = 0; times < 1_000; times += 1) run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

/** CPU of this thread so far (before Node 23, of the process), in milliseconds: what other processes took is none of the pattern's. */
const threadMs = () => {
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage).call(process);
  return (user + system) / 1_000;
};

/** Longest time in milliseconds for which nothing else got its turn while a search went on. */
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
  const { error } = verdict.results[0].checks[0];
  return { longest, error: error?.message };
}

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

/** Microseconds of CPU for each piece of a stream of pieces of four characters. */
function costOfStream(guardrails) {
  const runner = new GuardrailRunner(PORT);
  const text = textOf(8_000);
  const channel = { choice: 0, kind: 'text', index: 0 };
  const options = { port: PORT, runner, guardrails, facts: FACTS, request: null };
  const run = () => {
    const guard = new StreamGuard(options);
    for (let at = 0; at < text.length; at += 4) guard.push(channel, text.slice(at, at + 4));
    guard.end();
  };
  for (let times = 0; times < 20; times += 1) run();
  const before = process.cpuUsage();
  for (let times = 0; times < 30; times += 1) run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 30 / (text.length / 4);
}

/** Characters of a stream that have come, in pieces of four, when its first text goes out, and those of the window. */
function firstToken(checks) {
  const guardrails = [guardrailOf(checks)];
  const guard = new StreamGuard({
    port: PORT,
    runner: new GuardrailRunner(PORT),
    guardrails,
    facts: FACTS,
    request: null,
  });
  const windows = guardrails[0].output.map(({ prepared }) => prepared.window.lengthMax);
  const text = textOf(8_000);
  for (let at = 0; at < text.length; at += 4) {
    if (guard.push({ choice: 0, kind: 'text', index: 0 }, text.slice(at, at + 4)).text !== '')
      return { came: at + 4, window: Math.max(...windows) + 1 };
  }
  return { came: Infinity, window: Math.max(...windows) + 1 };
}

const WINDOWED = {
  'a list of words': [TEN[2]],
  'a pattern': [TEN[0]],
  'personal data': [{ id: 'gw.pii', parameters: {} }],
  'all three': [TEN[0], TEN[2], { id: 'gw.pii', parameters: {} }],
};

const say = (line) => process.stdout.write(`${line}\n`);

/** Checks that judge a text by themselves, without a call to another service. */
const isLocal = ({ id, deterministic, kind }) =>
  !ASKING.includes(id) &&
  id !== 'default.validUrls' &&
  (deterministic || kind !== 'text' || OWN_HEURISTICS.includes(id));

/** Measures each check, and returns the cost of ten checks on 2 KB in µs of CPU. */
function costOfChecks() {
  say('check | µs of CPU on 2 KB | µs for each further KB');
  for (const { id, stages, example } of CHECKS.filter(isLocal)) {
    const guardrails = [guardrailOf([{ id, parameters: OWN[id] ?? example }])];
    const at = (length) =>
      stages.includes('input')
        ? cost(guardrails, () => Subject.input(FACTS, requestOf.kept[length]))
        : cost(guardrails, () => Subject.output(FACTS, null, answerOf.kept[length], 200));
    const small = at(2_048);
    say(`${id} | ${small.toFixed(1)} | ${((at(10_240) - small) / 8).toFixed(2)}`);
  }
  const ten = cost([guardrailOf(TEN)], () => Subject.input(FACTS, requestOf.kept[2_048]));
  say(`\nten checks on a request of 2 KB: ${ten.toFixed(0)} µs of CPU (bar: 200)`);
  const window = [guardrailOf([{ id: 'gw.pii', parameters: { redact: true } }, TEN[0], TEN[2]])];
  say(
    `three windowed checks on a stream: ${costOfStream(window).toFixed(1)} µs of CPU for each piece of 4 characters\n`,
  );
  return ten;
}

/** The longest hold of the event loop by a pattern, in ms of CPU. */
async function longestOfPatterns() {
  for (const [rule, text] of PATTERNS) await longestHold(rule, text.slice(0, 2_000));
  let worst = 0;
  for (const [rule, text] of PATTERNS) {
    const { refused, longest = 0, error } = await longestHold(rule, text);
    worst = Math.max(worst, longest);
    say(
      `${rule} on ${text.length} characters: ${refused ? 'refused' : `${longest.toFixed(1)} ms of CPU at once`}${error ? ` (${error})` : ''}`,
    );
  }
  say(`longest hold of the event loop by a pattern: ${worst.toFixed(1)} ms (bar: 20)`);
  return worst;
}

/** The longest delay of the first text of a stream, in windows of the checks that judge it. */
function longestDelay() {
  let slowest = 0;
  for (const [name, checks] of Object.entries(WINDOWED)) {
    const { came, window } = firstToken(checks);
    slowest = Math.max(slowest, came / window);
    say(`first text of a stream judged by ${name}: out when ${came} characters have come, window ${window}`);
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

const kept = (make) => Object.fromEntries([2_048, 10_240].map((length) => [length, make(length)]));
requestOf.kept = kept(requestOf);
answerOf.kept = kept(answerOf);
main();
