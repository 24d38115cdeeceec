import { randomBytes } from 'node:crypto';
import { PlaygroundKeyEntity, SessionEntity, UserEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { ACCESS_PREFIX, accessTokenHash } from '@gw/oauth';
import { invalid } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { In, IsNull, MoreThan } from 'typeorm';
import { Secrets, SETTINGS, type AdminSettings } from '../../settings';
import type { Principal } from '../common/principal';
import { clientGatewayUrl } from '../common/public-url';
import { FOR_CHANGE, Writes } from '../unit-of-work/writes';
import type { PlaygroundKeyResponse } from './playground-keys.dto';
import { playgroundDocuments } from './playground-keys';
import { assertAllowed } from './scope-checks';

const LIFE_MS = 15 * 60_000;
/** Maximum number of keys of one user; a new key beyond it ends the oldest. */
const KEYS_MAX = 20;
/** Scope that every request of a playground needs. */
const NEEDED_SCOPE = 'completions.write';

/** Short-lived keys with which consoles call gateways as their user. */
@Injectable()
export class PlaygroundKeys {
  constructor(
    private readonly writes: Writes,
    private readonly secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: AdminSettings,
  ) {}

  /**
   * Creates a key for the workspace that the request names. It ends after 15 minutes or with the
   * session. Throws `scope_missing` for a user who may not call models in the workspace.
   */
  make(caller: Principal, now = Date.now()): Promise<PlaygroundKeyResponse> {
    const { userId, organisationId, workspaceId } = caller;
    if (userId === null || workspaceId === null)
      throw invalid('workspace_id', 'workspace_id is required; name a workspace of yours');
    assertAllowed(caller, [NEEDED_SCOPE]);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      // The row lock serialises concurrent creations, so that the maximum holds.
      await manager.findOneOrFail(UserEntity, { where: { id: userId }, lock: FOR_CHANGE });
      // A concurrent end of the session waits for this lock and then also ends the new key.
      const session = await manager.findOne(SessionEntity, {
        where: { id: caller.sessionId ?? '', revokedAt: IsNull(), expiresAt: MoreThan(new Date(now)) },
        lock: { mode: 'pessimistic_read' },
      });
      if (session === null) throw new GatewayError('unauthenticated');
      const others = await manager.find(PlaygroundKeyEntity, {
        ...{ where: { userId }, order: { createdAt: 'DESC', keyHash: 'DESC' }, skip: KEYS_MAX - 1 },
      });
      write.removed(playgroundDocuments(others));
      await manager.delete(PlaygroundKeyEntity, { keyHash: In(others.map((key) => key.keyHash)) });
      const key = ACCESS_PREFIX + randomBytes(32).toString('base64url');
      const keyHash = accessTokenHash(this.secrets.oauthPepper, key) ?? '';
      const expiresAt = new Date(Math.min(now + LIFE_MS, session.expiresAt.getTime()));
      const row = { keyHash, sessionId: session.id, userId, organisationId, workspaceId, expiresAt };
      await manager.insert(PlaygroundKeyEntity, row);
      write.changed(playgroundDocuments([row]));
      const after = { expires_at: expiresAt.toISOString() };
      write.audit({ action: 'create', resourceType: 'playground_keys', resourceId: session.id, after });
      return {
        object: 'playground-key',
        key,
        expires_at: expiresAt.toISOString(),
        base_url: `${clientGatewayUrl(this.settings)}/v1`,
      };
    });
  }
}
