import { CHECKS } from './checks';
import type { CheckDefinition } from './check';
import { compileGuardrail, type CompiledGuardrail } from './compile';
import { GUARDRAIL_LIMITS } from './bounds';
import { GuardrailRunner } from './runner';
import { RecordingPort } from './spec-support/recording-port';
import { Subject, type RequestFacts } from './subject';
import { Turns, Work } from './work';

const facts: RequestFacts = {
  dialect: 'chat',
  requestType: 'chatComplete',
  isPassthrough: false,
  method: 'POST',
  path: '/v1/chat/completions',
  contentType: 'application/json',
  provider: 'openai',
  model: 'gpt-4o',
  metadata: {},
  headers: {},
  isStreaming: false,
};

/** Characters that a check may read in one turn: some milliseconds for the slowest. */
const TURN_MAX = 250_000;
const LENGTH = 2_000_000;

/** Checks that do not read the whole text, with the reason. */
const NOT_WALKING: Readonly<Record<string, string>> = {
  'default.characterCount': 'reads only the length',
  'default.notNull': 'tests only for a character other than white space',
  'default.validUrls': 'searches once by a regular expression, with a step for each URL',
  'default.endsWith': 'reads only the end; the JavaScript engine skips white space there',
  'gw.gibberish': 'reads only the first 8,000 characters',
  'gw.language': 'reads only the first 4,000 characters',
  'default.jsonSchema': 'refuses texts of more than 1,000,000 characters',
  'default.jsonKeys': 'refuses texts of more than 1,000,000 characters',
};
/** Checks whose texts are sent to a service in a few pieces, or refused as too long. */
const isRemote = ({ id, addressParameters }: CheckDefinition): boolean =>
  addressParameters !== undefined ||
  /^(?:gw\.(?:topic|llmJudge|moderateContent)|openai|mistral|azure|bedrock|lakera|presidio)/.test(id);

const TEXT_CHECKS = CHECKS.filter((check) => check.kind === 'text' && !isRemote(check));
const WALKING = TEXT_CHECKS.filter(({ id }) => !(id in NOT_WALKING));

function guardrailOf(checks: readonly object[], actions: object = {}): CompiledGuardrail {
  const compiled = compileGuardrail({ checks, actions });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.details));
  return compiled.guardrail;
}

/** Parameters with which each check reads the whole text, because it finds nothing early. */
const PARAMETERS: Readonly<Record<string, object>> = {
  'default.regexMatch': { rule: 'absent', not: true },
  'default.regexReplace': { rule: 'absent' },
  'default.contains': { words: ['absent'], operator: 'none' },
};

const entryOf = ({ id, example }: CheckDefinition): object => ({ id, parameters: PARAMETERS[id] ?? example });
const rep = (text: string, length = LENGTH): string =>
  text.repeat(Math.ceil(length / text.length)).slice(0, length);
const chat = (...texts: readonly string[]) => ({
  messages: texts.map((content) => ({ role: 'user', content })),
});

/** Counts turns of the event loop: work between two of them is done in one. */
class CountingTurns {
  count = 0;
  next(): Promise<void> {
    this.count++;
    return new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

async function turnsOf(checks: readonly object[], body: unknown): Promise<number> {
  const turns = new CountingTurns();
  const subject = Subject.input({ ...facts, work: new Work('w', turns) }, body);
  const runner = new GuardrailRunner(new RecordingPort());
  await runner.run([guardrailOf(checks, { timeout: 60_000 })], subject);
  return turns.count;
}

describe('text-reading checks', () => {
  it.each(WALKING.map((check) => [check.id, check] as const))(
    'yields to other work while %s reads 2,000,000 characters',
    async (_, check) => {
      expect(await turnsOf([entryOf(check)], chat(rep('AB CD. ')))).toBeGreaterThan(LENGTH / TURN_MAX);
    },
  );

  it.each(WALKING.map((check) => [check.id, check] as const))(
    'yields to other work while %s reads 10,000 texts of 200 characters',
    async (_, check) => {
      const scoped = entryOf(check) as { parameters: object };
      const parameters = { ...scoped.parameters, scope: ['all'] };
      const texts = Array.from({ length: 10_000 }, () =>
        rep(check.id === 'default.allLowercase' ? 'ab cd. ' : 'AB CD. ', 200),
      );
      expect(await turnsOf([{ ...scoped, parameters }], chat(...texts))).toBeGreaterThan(LENGTH / TURN_MAX);
    },
  );

  it.each(['default.jsonSchema', 'default.jsonKeys'])(
    'yields to other work while %s searches 1,000,000 characters for JSON',
    async (id) => {
      const check = CHECKS.find((each) => each.id === id) as CheckDefinition;
      const made = await turnsOf([entryOf(check)], chat(rep('[{"a":', 1_000_000)));
      expect(made).toBeGreaterThan(1_000_000 / TURN_MAX);
    },
  );

  it('covers every text check, or lists why it is not covered', () => {
    const ids = TEXT_CHECKS.map(({ id }) => id);
    expect(Object.keys(NOT_WALKING).filter((id) => !ids.includes(id))).toEqual([]);
    expect(WALKING.length).toBe(13);
  });
});

describe('Work of one request', () => {
  const long = rep('AB CD. ', 2_000_000);
  const count = { id: 'default.sentenceCount', parameters: {} };
  const errorsOf = async (work: Work, subject: Subject): Promise<number> => {
    const runner = new GuardrailRunner(new RecordingPort());
    const guardrail = guardrailOf(
      Array.from({ length: 8 }, () => count),
      { deny: true, timeout: 60_000 },
    );
    const { results } = await runner.run([guardrail], subject);
    expect(work.owner).toBe('w');
    return results.flatMap(({ checks }) => checks).filter(({ error }) => error !== undefined).length;
  };

  it('counts the work of all guardrails of input and output, and no check decides beyond the limit', async () => {
    const work = new Work('w', new CountingTurns());
    const limited = { ...facts, work };
    expect(await errorsOf(work, Subject.input(limited, chat(long)))).toBe(0);
    const response = { choices: [{ message: { role: 'assistant', content: long } }] };
    expect(await errorsOf(work, Subject.output(limited, chat('a'), response, 200))).toBeGreaterThan(0);
  });

  it('denies beyond the limit if the guardrail denies, and names the limit in the error', async () => {
    const runner = new GuardrailRunner(new RecordingPort());
    const guardrail = guardrailOf(
      Array.from({ length: 50 }, () => count),
      { deny: true, timeout: 60_000 },
    );
    const subject = Subject.input({ ...facts, work: new Work('w', new CountingTurns()) }, chat(long));
    const verdict = await runner.run([guardrail], subject);
    expect(verdict.outcome).toBe('deny');
    expect(JSON.stringify(verdict.results)).toContain(
      `${String(GUARDRAIL_LIMITS.workMax)} characters in total`,
    );
  });

  it('stops at the check’s timeout, between two steps', async () => {
    const turns = new CountingTurns();
    const subject = Subject.input({ ...facts, work: new Work('w', turns) }, chat(long));
    const runner = new GuardrailRunner(new RecordingPort());
    const controller = new AbortController();
    const running = runner.run([guardrailOf([count])], subject, controller.signal);
    controller.abort();
    const { results } = await running;
    expect(JSON.stringify(results)).toContain('The check ran out of time.');
    expect(turns.count).toBeLessThan(3);
  });
});

describe('Turns', () => {
  it('rotates among the waiting workspaces, however much work one of them has', async () => {
    const turns = new Turns();
    const order: string[] = [];
    const work = async (owner: string, steps: number): Promise<void> => {
      for (let step = 0; step < steps; step++) {
        await turns.next(owner);
        order.push(owner);
      }
    };
    const busy = Array.from({ length: 20 }, () => work('a', 10));
    await Promise.all([...busy, work('b', 5)]);
    expect(order.lastIndexOf('b')).toBeLessThan(12);
    expect(order.filter((owner) => owner === 'a')).toHaveLength(200);
  });
});
