import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { StubProvider, type RecordedRequest } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';
import { withResponsesOnly } from '../spec-support/responses-only';
import { failureOf, type Client } from './spec-support/client';
import { refusalOf } from './spec-support/refusals';
import {
  INPUT_TOKENS,
  isStreamed,
  neededIn,
  OUTPUT_TOKENS,
  replyTo,
  SCENARIOS,
  type Outcome,
  type Scenario,
} from './spec-support/scenario';
import { CLIENTS, STAND_INS } from './spec-support/sides';
import type { StandIn } from './spec-support/stand-in';
import { cellOf, tableOf, type CellResult } from './spec-support/table';

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

/** Says what is wrong with a provider's request; null when nothing is. */
function faultOf(request: RecordedRequest, standIn: StandIn, scenario: Scenario): string | null {
  const text = request.body.toString();
  const body = JSON.parse(text) as Record<string, unknown>;
  const [path] = request.url.split('?', 1);
  if (path !== standIn.path(isStreamed(scenario))) return `the path is ${String(path)}`;
  if (!standIn.isAuthorized(request)) return 'the credential is wrong';
  const validate = VALIDATORS.get(standIn.dialect);
  if (validate?.(body) !== true) return `${JSON.stringify(validate?.errors)} in ${text}`;
  const missing = neededIn(scenario).filter((needed) => !text.includes(needed));
  return missing.length > 0 ? `${missing.join()} is missing in ${text}` : (standIn.lint?.(body) ?? null);
}

describe('clients and providers', () => {
  let gateway: GatewayHarness;
  const stubs = new Map<string, StubProvider>();
  const results = new Map<string, CellResult>();

  beforeAll(async () => {
    gateway = await GatewayHarness.start({}, null, undefined, withResponsesOnly());
    for (const { dialect, provider, configurations } of STAND_INS) {
      const stub = await StubProvider.start();
      stubs.set(dialect, stub);
      gateway.addProvider(dialect, provider, null, { configurations: configurations(stub.origin) });
    }
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), ...[...stubs.values()].map((stub) => stub.stop())]);
  });

  const run = (client: Client, scenario: Scenario, { dialect, model }: StandIn): Promise<Outcome> =>
    client.call(scenario, {
      gateway,
      provider: dialect,
      model: typeof model === 'string' ? model : model(scenario),
    });
  const lastRecord = async () => (await gateway.records()).at(-1);

  it.each(CELLS)(
    'a client of %s at a provider of %s: %s',
    async (name, dialect, scenario, client, standIn) => {
      const stub = stubs.get(dialect) as StubProvider;
      const faults: (string | null)[] = [];
      stub.respond((request) => {
        const fault = faultOf(request, standIn, scenario);
        faults.push(fault);
        if (fault !== null) return { status: 400, body: { error: { message: fault } } };
        return scenario === 'error' ? standIn.error : standIn.reply(replyTo(scenario));
      });
      const called = run(client, scenario, standIn).catch((thrown: unknown) => failureOf(thrown));
      const refusal = refusalOf(dialect, scenario);
      if (refusal !== null) {
        expect(await called).toMatchObject({ status: 400 });
        expect(faults).toEqual([]);
        expect(await lastRecord()).toMatchObject({ errorType: refusal });
        results.set(cellOf(name, dialect, scenario), 'refused');
        return;
      }
      const outcome = await called;
      expect(faults).toEqual([null]);
      if (scenario === 'error')
        expect(outcome).toEqual({ status: 429, message: expect.stringContaining('Slow down.') });
      else if (scenario === 'stream cut') expect(outcome).not.toMatchObject({ complete: true });
      else {
        const { text, reasoning, calls } = replyTo(scenario);
        expect(outcome).toEqual({
          text: text ?? '',
          reasoning: reasoning ?? '',
          calls: calls.map(({ name: called_, input }) => ({ name: called_, input })),
          complete: true,
          input: INPUT_TOKENS,
          output: OUTPUT_TOKENS,
        });
        const usage = { inputTokens: INPUT_TOKENS, outputTokens: OUTPUT_TOKENS };
        expect(await lastRecord()).toMatchObject({ outcome: 'ok', usage });
      }
      results.set(cellOf(name, dialect, scenario), 'passed');
    },
  );

  it('is in docs/dialects.md as this run has seen it', () => {
    const names = (sides: readonly { readonly dialect: string }[]) => sides.map(({ dialect }) => dialect);
    const table = tableOf(names(CLIENTS), names(STAND_INS), results);
    const document = readFileSync(DOCUMENT, 'utf8');
    if (process.env['WRITE_MATRIX'] === 'true') writeFileSync(DOCUMENT, document.replace(TABLE, table));
    expect(TABLE.exec(readFileSync(DOCUMENT, 'utf8'))?.[0]).toBe(table);
  });
});
