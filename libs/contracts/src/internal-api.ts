import type { DocumentKey, ReadModelDocument } from './documents';

/**
 * The HTTP routes between our own processes. Every call carries `Authorization: Bearer <SERVICE_TOKEN>`; they listen where the
 * public routes listen, and answer 401 without it.
 */
export const INTERNAL = {
  /** POST `DocumentsRequest` → `DocumentsAnswer`; at most 256 keys. Admin API. */
  documents: '/internal/v1/documents',
  /** GET `?after=<sequence>`: newline-delimited `ControlPlaneEvent`s, never ending. Admin API. */
  events: '/internal/v1/events',
  /** POST `{ workspace_id, status }` → `{ id }`: a batch that the gateway runs itself. Admin API. */
  batches: '/internal/v1/batches',
  /** POST `GatewayPresence`, every half a minute by every gateway. Admin API. */
  gateways: '/internal/v1/gateways',
  /** POST `{ key }`: an API key that a gateway has recognised by an earlier master key. Admin API. */
  earlierKeys: '/internal/v1/api-keys/earlier',
  /** POST `application/octet-stream`, journal frames; 200 `{ accepted }` once they are committed. Worker. */
  logs: '/internal/v1/logs',
  /** GET, of the worker: log records that could not be stored as they came. */
  quarantinedLogs: '/internal/v1/logs/quarantine',
  /** POST `BalancesRequest` → `BalancesAnswer`; at most 256 counters. Worker. */
  balances: '/internal/v1/balances',
} as const;

export interface GatewayPresence {
  readonly id: string;
  /** Three numbers with dots between. */
  readonly version: string;
  /** Of the deployment that it is of. */
  readonly clientAuth?: string;
}

export interface DocumentsRequest {
  readonly keys: readonly DocumentKey[];
}

export interface DocumentsAnswer {
  /** The newest sequence that the documents are known to include. */
  readonly sequence: number;
  /** One entry for every requested key; null: there is no such document. */
  readonly documents: Readonly<Record<DocumentKey, ReadModelDocument | null>>;
}

/** The query for lost counters of an organisation. */
export interface BalancesRequest {
  readonly organisationId: string;
  readonly counters: readonly {
    readonly key: string;
    /** Unix milliseconds: the start of the period that is requested. */
    readonly since: number;
  }[];
  /** Also how fast they are used. Absent: no. */
  readonly withBurn?: boolean;
}

/** One balance for each counter, in order; all of one moment. */
export interface BalancesAnswer {
  readonly balances: readonly {
    readonly period: number;
    /** 1e-8 USD, tokens or requests: what the counter counts. */
    readonly used: number;
    /** What is used in a day, in the same unit. Null: it is unknown. Absent: not requested, or no budget's. */
    readonly perDay?: number | null;
    /** How much of it was charged by each gateway that may still count in it, by the name that its log records give. */
    readonly holders: readonly (readonly [holder: string, used: number])[];
    /** The same of gateways that were not charged of late. A counter that still knows one counts it with it; one that does not must not learn of it. */
    readonly former?: readonly (readonly [holder: string, used: number])[];
    /** The part of `used` that corrections of prices have added, or taken where it is negative. Absent: 0. */
    readonly adjusted?: number;
  }[];
}
