import { documentKey, type ProviderDocument } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { assertSavedUsable, checkModelOf } from '../attempt/targeting';
import type { RequestContext } from '../core/request-context';
import { assertAllowed } from '../auth/authenticate.stage';
import type { Documents } from '../auth/documents';
import type { Principals } from '../auth/principals';

/**
 * Interval in milliseconds between checks of open sessions; each check costs a few lookups in
 * memory.
 */
const CHECK_EVERY_MS = 1_000;

/** An open session, with the facts that are checked again. */
export interface CheckedSession {
  readonly context: Pick<RequestContext, 'gw' | 'route' | 'startedWallMs'>;
  /** The saved provider; null when the client used its own key. */
  readonly saved: ProviderDocument | null;
  /** The model of the handshake. */
  readonly model: string | null;
  deny(failure: GatewayError): void;
}

/**
 * Ends sessions whose key, workspace, organisation, scope, provider or model would be refused now,
 * within a second after the read model has changed. Documents that cannot be read end no session,
 * because requests are served from known documents too.
 */
export class SessionRights {
  private readonly sessions = new Set<CheckedSession>();
  private timer: NodeJS.Timeout | null = null;
  private isChecking = false;

  constructor(
    private readonly principals: Pick<Principals, 'resolveAgain'>,
    private readonly documents: Documents,
  ) {}

  add(session: CheckedSession): void {
    this.sessions.add(session);
    this.timer ??= setInterval(() => {
      void this.check();
    }, CHECK_EVERY_MS).unref();
  }

  delete(session: CheckedSession): void {
    this.sessions.delete(session);
    if (this.sessions.size > 0 || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }

  /**
   * Returns the current version of the saved provider, or the earlier one while the current one is
   * unknown.
   */
  current(saved: ProviderDocument | null): ProviderDocument | null {
    const document = saved && this.documents.get(documentKey.provider(saved.workspaceId, saved.slug));
    return document?.kind === 'provider' ? document : saved;
  }

  /**
   * Checks all sessions, one at a time. Never rejects. A session that waits for the control plane
   * delays the next check, not requests.
   */
  private async check(): Promise<void> {
    if (this.isChecking) return;
    this.isChecking = true;
    for (const session of this.sessions) {
      const failure = await this.refusalOf(session);
      if (failure !== null) session.deny(failure);
    }
    this.isChecking = false;
  }

  private async refusalOf(session: CheckedSession): Promise<GatewayError | null> {
    try {
      const nowMs = Date.now();
      const principal = this.principals.resolveAgain(session.context.gw.apiKey ?? '');
      assertAllowed(principal instanceof Promise ? await principal : principal, session.context.route, nowMs);
      const provider = this.providerOf(session);
      checkProvider(session, provider instanceof Promise ? await provider : provider, nowMs);
      return null;
    } catch (error) {
      return error instanceof GatewayError && error.status < 500 ? error : null;
    }
  }

  private providerOf({ saved }: CheckedSession) {
    if (saved === null) return null;
    const key = documentKey.provider(saved.workspaceId, saved.slug);
    const known = this.documents.get(key);
    return known === undefined ? this.documents.load(key) : known;
  }
}

function checkProvider({ saved, model }: CheckedSession, document: unknown, nowMs: number): void {
  if (saved === null) return;
  const provider = assertSavedUsable(document, saved.slug, nowMs);
  if (provider !== saved && model !== null) checkModelOf(provider, model);
}

/** Returns the reason for a close frame with 1008, within its limit of 123 bytes. */
export function endedBy({ type }: GatewayError): string {
  return REASONS[type] ?? 'This session is no longer allowed.';
}

const REASONS: Readonly<Record<string, string>> = {
  api_key_expired: 'The API key of this session has expired.',
  api_key_invalid: 'The API key of this session is no longer valid.',
  scope_missing: 'The API key of this session has lost the scope for it.',
  budget_exhausted: 'A limit of this session was reached.',
  credential_expired: 'The provider of this session has expired.',
  provider_not_found: 'The provider of this session is no longer available.',
  model_not_enabled: 'The model of this session is no longer enabled.',
};
