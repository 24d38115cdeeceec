import type { DocumentKey } from '@gw/contracts';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from 'typeorm';
import type { RequestFacts } from '../common/principal';
import type { AuditCaller, AuditEntry } from '../unit-of-work/audit-recorder';

/** One transaction of the OAuth server, with its audit rows and the documents that it removes. */
export interface OauthWork {
  readonly manager: EntityManager;
  readonly audits: { readonly caller: AuditCaller; readonly entry: AuditEntry }[];
  /** Documents of tokens that have ended. */
  readonly removed: DocumentKey[];
  /** Ends with the last statement so far. */
  turn: Promise<unknown>;
}

export interface Refusal {
  readonly caller: AuditCaller;
  readonly entry: AuditEntry;
  readonly status: number;
  readonly errorType: string;
}

/** Facts for the storage about the request that the protocol engine handles. */
export interface OauthCall {
  readonly request: RequestFacts;
  /** The client that registers itself; null otherwise. */
  readonly registration: { readonly name: string; readonly scope: string } | null;
  /** Set while a transaction is open. */
  work: OauthWork | null;
  /** Refusals for the audit log, which are recorded after the request's transaction. */
  refusals?: Refusal[];
  /** Opens the transaction of a request that begins it when it needs it. */
  open?: (() => Promise<OauthWork>) | undefined;
}

const calls = new AsyncLocalStorage<OauthCall>();

export const currentOauthCall = (): OauthCall | undefined => calls.getStore();

/** Runs a request of the OAuth server with `call`, which `currentOauthCall` returns everywhere in it. */
export const withinOauthCall = <T>(call: OauthCall, run: () => Promise<T>): Promise<T> =>
  calls.run(call, run);
