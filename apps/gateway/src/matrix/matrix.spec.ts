import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { StubProvider, StubTokenServices, type RecordedRequest } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { withResponsesOnly } from '../spec-support/responses-only';
import { failureOf } from './spec-support/client';
import { faultOfHistory } from './spec-support/history';
import { refusalOf } from './spec-support/refusals';
import {
  INPUT_TOKENS,
  isStreamed,
  neededIn,
  isReasoned,
  OUTPUT_TOKENS,
  replyTo,
  SCENARIOS,
  TEXT,
  type Outcome,
  type Scenario,
} from './spec-support/scenario';
import { faultsOfTypes, SDK_TYPES } from './spec-support/sdk-types';
import { CLIENTS, STAND_INS } from './spec-support/axes';
import type { Body, StandIn } from './spec-support/stand-in';
import { cellOf, PASSED, tableOf, type CellResult } from './spec-support/table';

const ajv = new Ajv({ strict: false, allErrors: true });
const VALIDATORS = new Map(STAND_INS.map(({ dialect, request }) => [dialect, ajv.compile(request)]));
const CELLS = CLIENTS.flatMap((client) =>
  STAND_INS.flatMap((standIn) =>
    SCENARIOS.map((scenario) => [client.dialect, standIn.dialect, scenario, client, standIn] as const),
  ),
);
const DOCUMENT = join(__dirname, '../../../../docs/dialects.md');
/** The table of the document, between two marks. */
const TABLE = /(?<=<!-- matrix -->\n\n)[^]*?(?=\n\n<!-- end of matrix -->)/;

const bodyOf = ({ body }: RecordedRequest): Body => JSON.parse(body.toString()) as Body;

/** Whether a body has a member, step by step. */
const has = (body: unknown, [step, ...steps]: readonly string[]): boolean =>
  step === undefined ? body !== undefined : has((body as Body | undefined)?.[step], steps);

/** Returns what a scenario requires and a body does not request; null when nothing. */
function unrequested(body: Body, { requested }: StandIn, scenario: Scenario): string | null {
  if (isReasoned(scenario) && !has(body, requested.reasoning))
    return `no reasoning in ${JSON.stringify(body)}`;
  return scenario === 'structured output' && !has(body, requested.schema)
    ? `no schema in ${JSON.stringify(body)}`
    : null;
}

/** Returns what is wrong with a provider's request; null when nothing is. */
function faultOf(request: RecordedRequest, standIn: StandIn, scenario: Scenario): string | null {
  const text = request.body.toString();
  const body = bodyOf(request);
  const [path] = request.url.split('?', 1);
  if (path !== standIn.path(isStreamed(scenario))) return `the path is ${String(path)}`;
  if (!standIn.isAuthorized(request)) return 'the credential is wrong';
  const validate = VALIDATORS.get(standIn.dialect);
  if (validate?.(body) !== true) return `${JSON.stringify(validate?.errors)} in ${text}`;
  const missing = neededIn(scenario).filter((needed) => !text.includes(needed));
  if (missing.length > 0) return `${missing.join()} is missing in ${text}`;
  return (
    standIn.lint?.(body) ??
    faultOfHistory(standIn.history(body), scenario) ??
    unrequested(body, standIn, scenario)
  );
}

/** The outcome that a client's SDK must return. */
function expectedOf(scenario: Scenario, { hasIds }: StandIn): Outcome {
  const { text, reasoning, calls } = replyTo(scenario);
  return {
    text: text ?? '',
    reasoning: reasoning ?? '',
    calls: calls.map((call) => (hasIds ? call : { ...call, id: expect.stringMatching(/./) as string })),
    complete: true,
    input: INPUT_TOKENS,
    output: OUTPUT_TOKENS,
  };
}

describe('clients and providers', () => {
  let gateway: GatewayHarness;
  let services: StubTokenServices;
  const stubs = new Map<string, StubProvider>();
  const results = new Map<string, CellResult>();
  /** Bodies that each provider has received. */
  const sent = new Map(STAND_INS.map(({ dialect }) => [dialect, new Set<string>()]));

  beforeAll(async () => {
    services = await StubTokenServices.start();
    gateway = await GatewayHarness.start(services.settings, null, undefined, withResponsesOnly());
    for (const { dialect, provider, configurations, isKeyless } of STAND_INS) {
      const stub = await StubProvider.start();
      stubs.set(dialect, stub);
      gateway.addProvider(dialect, provider, null, {
        configurations: configurations(stub.origin),
        ...(isKeyless === true ? { sealedCredential: null } : {}),
      });
    }
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), services.stop(), ...[...stubs.values()].map((stub) => stub.stop())]);
  });

  const lastRecord = async () => (await gateway.records()).at(-1);

  it.each(CELLS)(
    'a client of %s at a provider of %s: %s',
    async (name, dialect, scenario, client, standIn) => {
      const faults: (string | null)[] = [];
      stubs.get(dialect)?.respond((request) => {
        const fault = faultOf(request, standIn, scenario);
        faults.push(fault);
        sent.get(dialect)?.add(request.body.toString());
        if (fault !== null) return { status: 400, body: { error: { message: fault } } };
        return scenario === 'error' ? standIn.error : standIn.reply(replyTo(scenario), bodyOf(request));
      });
      const received: string[] = [];
      const outcome = await client
        .call(scenario, {
          gateway,
          provider: dialect,
          model: typeof standIn.model === 'string' ? standIn.model : standIn.model(scenario),
          receive: (piece) => received.push(piece),
        })
        .catch((thrown: unknown) => failureOf(thrown, client));
      const record = await lastRecord();
      const refusal = refusalOf(dialect, scenario);
      expect(faults).toEqual(refusal === null ? [null] : []);
      if (refusal !== null) {
        expect(outcome).toMatchObject({ status: 400, kind: client.kinds.invalid });
        expect(record).toMatchObject({ status: 400, errorType: refusal });
      } else if (scenario === 'error') {
        const message: unknown = expect.stringContaining('Slow down.');
        expect(outcome).toEqual({ status: 429, message, kind: client.kinds.limited });
        expect(record).toMatchObject({ status: 429, outcome: 'provider_error' });
      } else if (scenario === 'stream cut') {
        expect(outcome).toMatchObject({ status: client.statusOfCut, message: expect.stringMatching(/./) });
        expect(TEXT.startsWith(received.join(''))).toBe(true);
        expect(received.length).toBeGreaterThan(0);
        expect(record?.outcome).not.toBe('ok');
      } else {
        expect(outcome).toEqual(expectedOf(scenario, standIn));
        const ids = (outcome as Outcome).calls.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        if (isStreamed(scenario)) expect(received.join('')).toBe(TEXT);
        const usage = { inputTokens: INPUT_TOKENS, outputTokens: OUTPUT_TOKENS };
        expect(record).toMatchObject({ outcome: 'ok', usage });
      }
      results.set(cellOf(name, dialect, scenario), refusal ?? PASSED);
    },
  );

  it('send no body that the types of the vendors’ SDKs refuse', () => {
    const typed = new Map(
      Object.keys(SDK_TYPES).map((dialect) => [dialect, sent.get(dialect) ?? new Set<string>()]),
    );
    for (const bodies of typed.values()) {
      expect(bodies.size).toBeGreaterThan(SCENARIOS.length);
      // An invalid body shows that bodies are compared.
      bodies.add([...bodies].at(-1)?.replace('"role":', '"not_in_the_types":1,"role":') ?? '');
    }
    const faults = faultsOfTypes(typed);
    expect(faults).toHaveLength(typed.size);
    expect(faults.filter((fault) => !fault.includes('not_in_the_types'))).toEqual([]);
  });

  it('has the results that docs/dialects.md lists', () => {
    const names = (sides: readonly { readonly dialect: string }[]) => sides.map(({ dialect }) => dialect);
    const table = tableOf(names(CLIENTS), names(STAND_INS), results);
    const document = readFileSync(DOCUMENT, 'utf8');
    if (process.env['WRITE_MATRIX'] === 'true') writeFileSync(DOCUMENT, document.replace(TABLE, table));
    expect(TABLE.exec(readFileSync(DOCUMENT, 'utf8'))?.[0]).toBe(table);
  });
});
