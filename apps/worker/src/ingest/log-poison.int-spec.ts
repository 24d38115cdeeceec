import { ClickHouseRefusal } from '@gw/clickhouse';
import { dataSourceOptions, sqlStateOf } from '@gw/entities';
import { decodeFrames, encodeFrame } from '@gw/journal';
import { mergeRollups } from '@gw/log-store';
import { sampleLogRecord, testDatabase } from '@gw/testing';
import type { ChargeRecord, GuardrailRecord, LogRecord } from '@gw/contracts';
import { uuidv7 } from '@gw/kernel';
import { createLog } from '@gw/web';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { LedgerBook } from '../ledger/ledger-book';
import { LogBodyPacker } from './log-bodies';
import { LogIngest, type Stored } from './log-ingest';
import { LogPartitions } from './log-partitions.service';

const nested = (open: string, close: string, depth: number): string =>
  open.repeat(depth) + close.repeat(depth);
/** A long text that Postgres cannot compress to the size of an index entry. */
const noise = Array.from({ length: 2_000 }, (_, i) =>
  ((i * 2_654_435_761) % 4_294_967_296).toString(36),
).join('');
const wide = Array.from({ length: 5_000 }, (_, i) => i);

/** JSON texts, most of which `JSON.stringify` cannot produce. Undefined: the member is absent. */
const POISONS: Readonly<Record<string, string | undefined>> = {
  'nothing at all': undefined,
  null: 'null',
  true: 'true',
  'an empty text': '""',
  text: '"text"',
  '50,000 nested arrays': nested('[', ']', 50_000),
  '6,000 nested arrays': nested('[', ']', 6_000),
  '50,000 nested objects': nested('{"a":', '}', 50_000).replace('}', '1}'),
  'a long text': JSON.stringify(noise),
  'a wide array': JSON.stringify(wide),
  'a wide object': JSON.stringify(Object.fromEntries(wide.map((i) => [`m${String(i)}`, i]))),
  'half a character': String.raw`"a\ud800b"`,
  NUL: String.raw`"a\u0000b"`,
  'NUL in a name': String.raw`{"a\u0000":"\udfff"}`,
  __proto__: '{"__proto__":{"toString":1,"id":"x"},"constructor":null}',
  'an object without a text form': '{"toString":1,"valueOf":1,"toJSON":1,"length":-1}',
  infinity: '1e999',
  'minus infinity': '-1e999',
  1e300: '1e300',
  '2^53 + 1': '9007199254740993',
  '2^53 - 1': '9007199254740991',
  '2^31': '2147483648',
  '-1': '-1',
  'a fraction': '0.5',
  'nearly nothing': '5e-324',
  'the last date': '"+275760-09-13T00:00:00.000Z"',
  'the first date': '"-271821-04-20T00:00:00.000Z"',
  'the year 0': '"0000-01-01T00:00:00.000Z"',
  'a date of Postgres': '"infinity"',
};

/**
 * The inner parts of a decision share one column, so fewer kinds of invalid values are enough for
 * them.
 */
const INNER: readonly string[] = [
  ...['nothing at all', 'null', 'text', '50,000 nested arrays', 'a long text', 'half a character'],
  ...['__proto__', 'an object without a text form', 'infinity', '2^53 - 1'],
];
const poisonsOf = (path: readonly string[]): [kind: string, poison: string | undefined][] =>
  Object.entries(POISONS).filter(([kind]) => path.length < 3 || INNER.includes(kind));

const CHARGE: ChargeRecord = {
  ...{ line: 'primary', provider: 'openai', cost: 45_000, tokens: 9, requests: 1, flags: ['estimated'] },
  once: 'response r1',
  counters: [['api_key:k1:cost:budget', 0, 'g.1']],
};
const GUARDRAIL: GuardrailRecord = {
  ...{ stage: 'input', id: 'g1', versionId: null, verdict: false, deny: true, async: false, monitor: false },
  ...{ transformed: false, durationMs: 1 },
  checks: [{ id: 'c1', verdict: false, transformed: false, durationMs: 1, error: null }],
  feedback: { value: 1, weight: 1, metadata: {} },
};

/** Returns a record with a value in every field. */
const fullRecord = (): LogRecord => {
  const record = sampleLogRecord();
  const attempt = {
    target: 'config',
    provider: 'openai',
    credential: null,
    model: null,
    retry: 0,
    status: 200,
  };
  return {
    ...record,
    amends: true,
    decision: {
      ...record.decision,
      attempts: [{ ...attempt, end: 'answered', reason: null, startedMs: 0, durationMs: 1 }],
      charges: [CHARGE],
      guardrails: [GUARDRAIL],
      prompt: { id: uuidv7(), slug: 'p', versionId: uuidv7(), version: 1 },
    },
  };
};

/** Returns the paths of all members of a record. */
function pathsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const own = [...path, name];
    return [own, ...pathsOf(member, own)];
  });
}

const PLACE = '@poison@';

/** Returns the record as JSON with `poison` at the path. */
function poisoned(record: object, path: readonly string[], poison: string | undefined): string {
  const copy = structuredClone(record) as Record<string, unknown>;
  let at = copy;
  for (const name of path.slice(0, -1)) at = at[name] as Record<string, unknown>;
  const last = path.at(-1) as string;
  at[last] = poison === undefined ? undefined : PLACE;
  return JSON.stringify(copy).replace(`"${PLACE}"`, () => poison ?? 'null');
}

describe('LogIngest with invalid records', () => {
  const database = testDatabase();
  const quiet = createLog('test', 'silent');
  let partitions: LogPartitions;
  let ingest: LogIngest;

  beforeAll(async () => {
    partitions = new LogPartitions(database.dataSource);
    await partitions.prepareAhead();
    ingest = newIngest();
  });

  function newIngest(dataSource = database.dataSource): LogIngest {
    return new LogIngest(
      ...([
        dataSource,
        partitions,
        new LedgerBook(dataSource),
        new LogBodyPacker(null, quiet),
        quiet,
      ] as const),
    );
  }

  const store = (...records: string[]): Promise<Stored> =>
    ingest.store(records.flatMap((record) => decodeFrames(encodeFrame(record, null, null) as Buffer).frames));
  const idsIn = async (table: string, column: string): Promise<ReadonlySet<string>> => {
    const rows: { id: string }[] = await database.dataSource.query(`SELECT ${column} AS id FROM ${table}`);
    return new Set(rows.map(({ id }) => id));
  };

  it.each(pathsOf(fullRecord()).map((path) => [path.join('.'), path] as const))(
    'stores the other records of a batch, and logs or quarantines each record with an invalid %s',
    async (_name, path) => {
      const good = [sampleLogRecord(), sampleLogRecord()].map((record) => ({ ...record, id: uuidv7() }));
      const bad = poisonsOf(path).map(([kind, poison]) => ({ kind, poison, record: fullRecord() }));
      const texts = bad.map(({ poison, record }) => poisoned(record, path, poison));
      const before = ingest.quarantine.counts.quarantined;
      const { accepted, rejected } = await store(
        JSON.stringify(good[0]),
        ...texts,
        JSON.stringify(good[1]),
      ).catch((error: unknown) => {
        // Jest cannot print the deep values of a failed query.
        throw new Error(String(error instanceof Error && error.cause ? error.cause : error));
      });
      expect(accepted + rejected).toBe(texts.length + 2);
      const stored = await idsIn('request_logs', 'id');
      for (const { id } of good) expect(stored).toContain(id);
      await mergeRollups(database.dataSource);
      const kept = await idsIn('quarantined_logs', 'log_id');
      const lost = bad
        .filter(({ record: { id } }) => !stored.has(id) && !kept.has(id))
        .map(({ kind }) => kind);
      if (path[0] === 'id') expect(ingest.quarantine.counts.quarantined - before).toBe(bad.length);
      else expect(lost).toEqual([]);
    },
  );

  it.each([
    ['whose id is no UUID', { id: 'request 1' }],
    ['without an id and a time', { id: undefined, createdAt: undefined }],
    ['whose workspace is no UUID', { workspaceId: 'ours' }],
    ['of another organisation, with a decision too deep to be written', { decision: 'deep' }],
  ])('charges a record %s to its budgets once', async (_what, changes) => {
    const organisationId = uuidv7();
    const once = { ...CHARGE, once: `response ${organisationId}` };
    const record = { ...fullRecord(), organisationId };
    const decision = { ...record.decision, charges: [CHARGE, once], strategy: [PLACE] };
    const deep = 'decision' in changes ? (POISONS['50,000 nested arrays'] as string) : '"single"';
    const text = JSON.stringify({ ...record, ...changes, decision }).replace(`"${PLACE}"`, () => deep);
    for (let times = 0; times < 2; times += 1) {
      await expect(store(text)).resolves.toEqual({ accepted: 1, rejected: 0 });
      // Another worker has no memory of the record.
      ingest = newIngest();
    }
    const sums: object[] = await database.dataSource.query(
      `SELECT cost::int, tokens::int FROM ledger_balances WHERE organisation_id = $1 AND account LIKE 'limit:%'`,
      [organisationId],
    );
    expect(sums).toEqual([{ cost: 90_000, tokens: 18 }]);
  });

  it('charges one counter for names that differ only in characters that Postgres cannot store', async () => {
    const organisationId = uuidv7();
    const keyOf = (text: string): string => `policy:p1:cost:budget:user ${text}`;
    const { once: _once, ...charge } = CHARGE;
    const charged = (...texts: string[]): string => {
      const record = fullRecord();
      const charges = texts.map((text) => ({ ...charge, counters: [[keyOf(text), 0, `g.${text}`]] }));
      return JSON.stringify({ ...record, organisationId, decision: { ...record.decision, charges } });
    };
    expect(await store(charged('\ud800', '\ud801'), charged('\0'))).toEqual({ accepted: 2, rejected: 0 });
    const counters = [{ key: keyOf('\udfff'), since: 0 }];
    const balances = await new LedgerBook(database.dataSource).balances({ organisationId, counters });
    expect(balances).toMatchObject([{ used: 3 * 45_000 }]);
  });

  it('quarantines the original of a record whose amendment is in the same batch, with its bodies', async () => {
    const { amends: _amends, ...record } = fullRecord();
    const text = poisoned(record, ['decision', 'strategy'], POISONS['50,000 nested arrays']);
    const original = encodeFrame(text, Buffer.from('asked'), Buffer.from('told')) as Buffer;
    const amendment = encodeFrame(JSON.stringify({ ...record, amends: true }), null, null) as Buffer;
    const { frames } = decodeFrames(Buffer.concat([original, amendment]));
    expect(await ingest.store(frames)).toEqual({ accepted: 2, rejected: 0 });
    const kept: object[] = await database.dataSource.query(
      `SELECT request IS NOT NULL AS request, response IS NOT NULL AS response FROM quarantined_logs WHERE log_id = $1`,
      [record.id],
    );
    expect(kept).toEqual([{ request: true, response: true }]);
  });

  it('stores a repeated batch with every second record invalid without a second search', async () => {
    const good = Array.from({ length: 20 }, () => ({ ...sampleLogRecord(), id: uuidv7() }));
    const bad = Array.from({ length: 20 }, () => fullRecord());
    const deep = POISONS['50,000 nested arrays'];
    const texts = good.flatMap((record, at) => [
      JSON.stringify(record),
      poisoned(bad[at] as LogRecord, ['decision', 'strategy'], deep),
    ]);
    let transactions = 0;
    ingest.addUp = () => Promise.resolve(void (transactions += 1));
    try {
      expect(await store(...texts)).toEqual({ accepted: 40, rejected: 0 });
      expect(transactions).toBeGreaterThan(20);
      transactions = 0;
      expect(await store(...texts)).toEqual({ accepted: 40, rejected: 0 });
      expect(transactions).toBe(1);
    } finally {
      ingest.addUp = null;
    }
    const stored = await idsIn('request_logs', 'id');
    for (const { id } of [...good, ...bad]) expect(stored).toContain(id);
  });

  it('rejects a batch without quarantining when the bare record fails too', async () => {
    const before = ingest.quarantine.counts.quarantined;
    const fails = (error: Error): Promise<Stored> => {
      ingest.addUp = () => Promise.reject(error);
      return store(JSON.stringify(fullRecord()), JSON.stringify(fullRecord())).finally(() => {
        ingest.addUp = null;
      });
    };
    await expect(fails(new ClickHouseRefusal('code 60'))).rejects.toMatchObject({ type: 'unavailable' });
    await expect(fails(new TypeError('a fault of ours'))).rejects.toMatchObject({ type: 'unavailable' });
    await expect(fails(new Error('connection lost'))).rejects.toMatchObject({ type: 'unavailable' });
    expect(ingest.quarantine.counts.quarantined).toBe(before);
  });

  it('never blames a record for a locked table', async () => {
    // Waits for locks for one second.
    const options = { url: database.url, poolSize: 2, applicationName: 'test', statementTimeoutMs: 6_000 };
    const source = await new DataSource(dataSourceOptions(options)).initialize();
    const lock = new Client({ connectionString: database.url });
    await lock.connect();
    try {
      await lock.query('BEGIN; LOCK TABLE request_logs IN ACCESS EXCLUSIVE MODE');
      const own = newIngest(source);
      const { frames } = decodeFrames(encodeFrame(JSON.stringify(fullRecord()), null, null) as Buffer);
      const refusal: unknown = await own.store(frames).catch((error: unknown) => error);
      expect(refusal).toMatchObject({ type: 'unavailable' });
      expect(sqlStateOf((refusal as Error).cause)).toBe('55P03');
      await lock.query('COMMIT');
      expect(await own.store(frames)).toEqual({ accepted: 1, rejected: 0 });
      expect(own.quarantine.counts.quarantined).toBe(0);
    } finally {
      await lock.end();
      await source.destroy();
    }
  });

  it('stores the bare form of a record that ClickHouse refuses, and the other records unchanged', async () => {
    const [good, bad] = [sampleLogRecord(), fullRecord()];
    ingest.addUp = (rows) =>
      rows.some(({ id, decision }) => id === bad.id && decision.prompt !== undefined)
        ? Promise.reject(new ClickHouseRefusal('status 400, code 117'))
        : Promise.resolve();
    const stored = await store(JSON.stringify(good), JSON.stringify(bad)).finally(
      () => (ingest.addUp = null),
    );
    expect(stored).toEqual({ accepted: 2, rejected: 0 });
    expect(await idsIn('quarantined_logs', 'log_id')).toContain(bad.id);
    expect(await idsIn('quarantined_logs', 'log_id')).not.toContain(good.id);
  });
});
