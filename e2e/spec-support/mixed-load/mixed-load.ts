import { setTimeout as delay } from 'node:timers/promises';
import type { FleetProcess } from '../fleet';
import type { NewKey } from '../workbench';
import { Client, type Got } from './client';
import { MIX, type Kind } from './kinds';

/**
 * Result of a call at its client: `whole` (served by the provider), `free` (from a cache or a
 * stored response), `denied` (by a guardrail or a limit), `failed` (by the provider), `left` (the
 * client disconnected), `cut` (its gateway was killed).
 */
export type ClientResult = 'whole' | 'free' | 'denied' | 'failed' | 'left' | 'cut';

export interface Call {
  readonly trace: string;
  readonly kind: Kind;
  /** Name by which the provider knows the call. */
  readonly name: string;
  readonly keyId: string;
  seen: ClientResult;
}

/** A gateway under load. */
interface Door {
  readonly gateway: FleetProcess;
  readonly client: Client;
  isUp: boolean;
  kills: number;
  /** Calls whose client disconnected last; the gateway may not have noticed yet. */
  readonly justLeft: { readonly call: Call; readonly atMs: number }[];
}

export interface LoadParts {
  readonly gateways: readonly FleetProcess[];
  readonly payers: readonly NewKey[];
  readonly exhausted: NewKey;
  readonly limited: NewKey;
  /** Slugs of the saved configs. */
  readonly configs: Readonly<Record<NonNullable<Kind['config']>, string>>;
}

/** Time in milliseconds that a gateway may need to notice a disconnect, on a busy machine. */
const NOTICE_MS = 20_000;
const AT_ONCE = 24;

/** Clients that send every kind of request to several gateways and record each result. */
export class MixedLoad {
  readonly calls: Call[] = [];
  /** Unexplained responses; a killed gateway explains only those of its own clients. */
  readonly errors: string[] = [];
  private readonly doors: readonly Door[];
  private next = 0;

  constructor(private readonly parts: LoadParts) {
    this.doors = parts.gateways.map((gateway) => ({
      gateway,
      client: new Client(gateway.port),
      isUp: true,
      kills: 0,
      justLeft: [],
    }));
  }

  /**
   * Starts at most `perSecond` calls per second until `over` returns true. Resolves when all have
   * ended.
   */
  async run(over: () => boolean, perSecond = Infinity): Promise<void> {
    const first = this.next;
    const startedAt = performance.now();
    const worker = async (): Promise<void> => {
      while (!over()) {
        const number = this.next;
        this.next += 1;
        const early = ((number - first) * 1_000) / perSecond - (performance.now() - startedAt);
        if (early > 0) await delay(early);
        await this.callOf(number);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }

  /**
   * Kills one of the gateways and restarts it; clients with a choice use other gateways meanwhile.
   */
  async crash(at: number): Promise<void> {
    const door = this.doors[at % this.doors.length] as Door;
    door.isUp = false;
    door.kills += 1;
    await door.gateway.kill();
    for (const { call, atMs } of door.justLeft) if (performance.now() - atMs < NOTICE_MS) call.seen = 'cut';
    await door.gateway.start();
    door.isUp = true;
  }

  close(): void {
    for (const { client } of this.doors) client.close();
  }

  private async callOf(number: number): Promise<void> {
    const kind = MIX[number % MIX.length] as Kind;
    const round = Math.floor(number / MIX.length);
    const name = `${kind.name} ${String(kind.alike === undefined ? number : round % kind.alike)}`;
    await this.call(kind, name, number, '');
    if (kind.repeated) await this.call(kind, name, number, '-again');
  }

  private async call(kind: Kind, name: string, number: number, suffix: string): Promise<void> {
    const up = this.doors.filter(({ isUp }) => isUp);
    const door = up[(number + suffix.length) % up.length] as Door;
    const { kills } = door;
    const key = this.keyOf(kind, number);
    const trace = `mixed-${String(number)}${suffix}`;
    const got = await door.client.send({
      path: `/v1${kind.path}`,
      headers: {
        'x-gw-api-key': key.key,
        'x-gw-trace-id': trace,
        ...(kind.config === undefined
          ? { 'x-gw-provider': kind.provider ?? '@sold' }
          : { 'x-gw-config': this.parts.configs[kind.config] }),
        ...(kind.repeated && { 'idempotency-key': name.replace(' ', '-') }),
      },
      body: kind.body(name),
      leaves: kind.responding === 'stalls',
    });
    const seen = this.seenOf(kind, got, door.kills > kills);
    if (seen === null) {
      const { status, reason, text } = got;
      this.errors.push(`${trace} (${kind.name}): ${String(status)} ${reason ?? text.slice(0, 300)}`);
      return;
    }
    const call: Call = { trace, kind, name, keyId: key.id, seen };
    this.calls.push(call);
    if (seen === 'left') this.noteLeft(door, call);
  }

  private noteLeft({ justLeft }: Door, call: Call): void {
    const atMs = performance.now();
    justLeft.push({ call, atMs });
    while ((justLeft[0]?.atMs ?? atMs) < atMs - NOTICE_MS) justLeft.shift();
  }

  private keyOf(kind: Kind, number: number): NewKey {
    const { payers, exhausted, limited } = this.parts;
    if (kind.key === 'exhausted') return exhausted;
    if (kind.key === 'limited') return limited;
    // One kind after the other in each round; without the second part, each kind would always use
    // one key.
    return payers[(number + Math.floor(number / MIX.length)) % payers.length] as NewKey;
  }

  /** Returns the client's result of a call; null if the response is unexplained. */
  private seenOf(kind: Kind, { status, headers, text }: Got, wasKilled: boolean): ClientResult | null {
    if (status === null) return wasKilled ? 'cut' : null;
    if (status !== 200) return refusalOf(kind, status);
    if (kind.responding === 'stalls') return 'left';
    if (isStream(headers) && !text.endsWith('data: [DONE]\n\n')) return wasKilled ? 'cut' : null;
    const isFree = headers['idempotent-replayed'] === 'true' || headers['x-gw-cache-status'] === 'HIT';
    return isFree ? 'free' : 'whole';
  }
}

const DENIALS: Readonly<Record<string, number>> = { guarded: 446, exhausted: 412, limited: 429 };

function refusalOf({ name, responding }: Kind, status: number): ClientResult | null {
  if (responding === 'fails') return status === 500 ? 'failed' : null;
  return DENIALS[name] === status ? 'denied' : null;
}

const isStream = (headers: Got['headers']): boolean =>
  String(headers['content-type']).startsWith('text/event-stream');
