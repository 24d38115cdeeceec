import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { ownCredential, relevantHeaders, type Idempotency, type Tenant } from '@gw/cache';
import { HEADER } from '@gw/contracts';
import { idempotencyFingerprint, idempotencyScope, readIdempotencyKey, type Shares } from '@gw/kernel';
import type { GatewayPrincipal } from '../auth/principals';
import type { RequestContext, Stage } from '../core/request-context';
import { FirstResponse } from './first-response';
import { RequestIdempotency } from './request-idempotency';

export interface IdempotencyStageOptions {
  /**
   * Maximum wait in milliseconds for a first request in flight, unless the request sets its own
   * timeout.
   */
  readonly waitMs: number;
  readonly memory: Shares;
  /** Maximum body size in bytes of a replayable response. */
  readonly bodyBytesMax: number;
}

/**
 * Executes a POST with an `Idempotency-Key` once: later ones get the first response, and wait for
 * it while the first request is in flight. Runs after all stages that refuse requests and right
 * before the stage that calls providers, so that a replay needs the same rights.
 */
export class IdempotencyStage implements Stage {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly options: IdempotencyStageOptions,
  ) {}

  run(context: RequestContext): void | Promise<void> {
    const value = context.req.headers['idempotency-key'];
    if (value === undefined || context.method !== 'POST') return undefined;
    // A prompt that is only rendered calls no provider.
    if (context.prompt !== null && context.prompt.rendered !== null) return undefined;
    return this.begin(context, value);
  }

  private async begin(context: RequestContext, value: string | readonly string[]): Promise<void> {
    const { memory, bodyBytesMax, waitMs } = this.options;
    const scope = scopeOf(context, readIdempotencyKey(value) as string);
    const fingerprint = await fingerprintOf(context);
    const tenant = tenantOf(context);
    const own = (context.idempotency = new RequestIdempotency());
    const startedMs = context.elapsedMs();
    const begun = await this.idempotency
      .begin(scope, fingerprint, {
        timeoutMs: context.gw.requestTimeoutMs ?? waitMs,
        isGone: () => context.clientGone,
        tenant,
      })
      .finally(() => {
        own.waitedMs += context.elapsedMs() - startedMs;
      });
    if (begun.kind === 'replay') {
      own.replayed = begun.response;
      return;
    }
    own.first = new FirstResponse(begun, memory.of(tenant.workspaceId, tenant.organisationId), bodyBytesMax);
  }
}

const tenantOf = ({ principal }: RequestContext): Tenant => {
  const { organisation, workspace } = principal as GatewayPrincipal;
  return { workspaceId: workspace.id, organisationId: organisation.id };
};

function scopeOf({ principal, method, url, query }: RequestContext, key: string): string {
  const { organisation, workspace } = principal as GatewayPrincipal;
  return idempotencyScope({
    organisationId: organisation.id,
    workspaceId: workspace.id,
    method,
    path: url.slice(0, url.length - query.length),
    key,
  });
}

/**
 * Gateway headers that decide where a request goes; a request with another value is a different
 * request.
 */
const ROUTING = [
  HEADER.provider,
  HEADER.virtualKey,
  HEADER.config,
  HEADER.customHost,
  HEADER.forwardHeaders,
] as const;

async function fingerprintOf(context: RequestContext): Promise<string> {
  const { req, url, gw } = context;
  const chosen = ROUTING.flatMap((name) => [name, String(req.headers[name] ?? '')]);
  const headers = [
    ...relevantHeaders(req.rawHeaders),
    ...chosen,
    // Affects the content of the response. Omitted when absent, so that fingerprints of older
    // gateways stay valid.
    ...(gw.strictOpenAi === null ? [] : [HEADER.strictOpenAi, String(gw.strictOpenAi)]),
    'credential',
    ownCredential(gw.providerKey),
  ];
  return idempotencyFingerprint({ url, headers, body: await bodyOf(context), inForce: inForce(context) });
}

/**
 * Key and rules in force for the first response. It is not replayed to other keys, nor after the
 * rules have changed.
 */
const inForce = ({ principal, configId, configSource, guardrails }: RequestContext): readonly string[] => [
  (principal as GatewayPrincipal).key.id,
  configId ?? '',
  configSource.versionId ?? '',
  ...(guardrails?.versions() ?? []),
];

/** Returns the body, or the digest of a spooled one. */
async function bodyOf({ body, spooled }: RequestContext): Promise<Buffer> {
  if (spooled === null) return body;
  const digest = createHash('sha256');
  for await (const piece of spooled.source(null).open()) digest.update(piece as Buffer);
  return digest.digest();
}
