import type { DocumentKey } from '@gw/contracts';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { EntityManager } from 'typeorm';
import type { RequestFacts } from '../common/principal';
import type { AuditCaller, AuditEntry } from '../unit-of-work/audit-recorder';

/**
 * One transaction of the OAuth server, with its audit records and the documents that it removes.
 */
export interface OauthWork {
  readonly manager: EntityManager;
  readonly audits: { readonly caller: AuditCaller; readonly entry: AuditEntry }[];
  /** Document keys of tokens that have ended. */
  readonly removed: DocumentKey[];
  /**
   * Resolves when the last statement so far has ended, so that statements run one after another.
   */
  turn: Promise<unknown>;
}

export interface Refusal {
  readonly caller: AuditCaller;
  readonly entry: AuditEntry;
  readonly status: number;
  readonly errorType: string;
}

/** Facts about the request that the protocol engine handles, for its storage. */
export interface OauthCall {
  readonly request: RequestFacts;
  /** Name and scope of a client that registers itself; null for any other request. */
  readonly registration: { readonly name: string; readonly scope: string } | null;
  /** The open transaction; null while there is none. */
  work: OauthWork | null;
  /** Refusals to record in the audit log after the request's transaction. */
  refusals?: Refusal[];
  /** Opens the transaction of a request that starts it only when it needs it. */
  open?: (() => Promise<OauthWork>) | undefined;
}

const calls = new AsyncLocalStorage<OauthCall>();

export const currentOauthCall = (): OauthCall | undefined => calls.getStore();

/**
 * Runs a request of the OAuth server with `call`; `currentOauthCall` returns it everywhere in that
 * request.
 */
export const withinOauthCall = <T>(call: OauthCall, run: () => Promise<T>): Promise<T> =>
  calls.run(call, run);
