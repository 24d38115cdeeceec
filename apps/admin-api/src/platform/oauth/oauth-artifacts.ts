import { documentKey, type DocumentKey } from '@gw/contracts';
import { OauthArtifactEntity, OauthConsentEntity, useOnce } from '@gw/entities';
import { artifactHash } from '@gw/oauth';
import { Injectable } from '@nestjs/common';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { IsNull, MoreThan } from 'typeorm';
import { Secrets } from '../../settings';
import { currentOauthCall } from './oauth-call';
import { NO_STORAGE } from './no-storage';
import { endGrant } from './oauth-grants';
import { OauthTransactions } from './oauth-transactions';
import { oidcErrors } from './oidc-library';

/** Model of assertions and proofs, each of which may be used once. */
const ONCE = 'ReplayDetection';
/**
 * How long a used assertion or proof is remembered, in seconds; longer than any of them is valid.
 */
const ONCE_SECONDS = 900;
const noop = (): Promise<void> => Promise.resolve();
const GRANT_DAYS = 30;
/** Maximum number of access and refresh tokens of one grant, including used ones. */
const TOKENS_MAX = 100;

/**
 * Stores what the protocol engine issues, by hash. One statement uses up a code or refresh token,
 * so that only one request can use it.
 */
@Injectable()
export class OauthArtifacts {
  constructor(
    private readonly transactions: OauthTransactions,
    private readonly secrets: Secrets,
  ) {}

  /** Returns the storage of one model in the form that the protocol engine expects. */
  of(model: string): Adapter {
    const inTurn = this.transactions.inTurn.bind(this.transactions);
    // The engine first looks up the message and then saves it. The lookup already uses the message
    // up, so that of concurrent requests only one sees it as unused.
    if (model === ONCE) return { ...NO_STORAGE, find: (id) => this.usedBefore(id), upsert: noop };
    return {
      upsert: (id, payload, expiresIn) => inTurn(() => this.save(model, id, payload, expiresIn ?? 0)),
      find: (id) => inTurn(() => this.find(model, id)),
      findByUserCode: (userCode) => inTurn(() => this.findByUserCode(model, userCode)),
      findByUid: () => Promise.resolve(undefined),
      consume: (id) => inTurn(() => this.consume(model, id)),
      destroy: (id) => inTurn(() => this.destroy(model, id)),
      revokeByGrantId: (grantId) => inTurn(() => this.endGrant(grantId)),
    };
  }

  /**
   * Uses a message up. Returns a payload when it was used before; undefined otherwise. Runs within
   * the open transaction of the request if there is one, so that a request that holds a connection
   * never waits for a second one.
   */
  private async usedBefore(id: string): Promise<AdapterPayload | undefined> {
    const message = { idHash: this.hash(ONCE, id), seconds: ONCE_SECONDS };
    const use = (): Promise<boolean> => useOnce(this.transactions.manager, message);
    const isOpen = currentOauthCall()?.work != null;
    return (await (isOpen ? this.transactions.inTurn(use) : use())) ? undefined : { jti: id };
  }

  hash(model: string, id: string): string {
    return artifactHash(this.secrets.oauthPepper, model, id);
  }

  private async save(model: string, id: string, payload: AdapterPayload, expiresIn: number): Promise<void> {
    const { jti: _jti, userCode, ...rest } = payload;
    const grantId = model === 'Grant' ? id : model === 'Interaction' ? null : (payload.grantId ?? null);
    const row = {
      idHash: this.hash(model, id),
      model,
      payload: rest,
      grantId,
      userCodeHash: userCode === undefined ? null : this.hash('UserCode', userCode),
      clientId: payload.clientId ?? null,
      expiresAt: new Date(Date.now() + expiresIn * 1_000),
      ...(payload.accountId === undefined ? {} : { userId: payload.accountId }),
    };
    await this.transactions.within(async ({ manager, removed }) => {
      if (grantId !== null) {
        // Locks the grant until the commit, so that it cannot end between this check and the
        // insertion.
        const keptRows = await manager.query<unknown[]>(
          `SELECT 1 FROM oauth_consents WHERE id = $1 AND expires_at > now() FOR KEY SHARE`,
          [grantId],
        );
        if (keptRows.length === 0) throw new (oidcErrors().InvalidGrant)('the grant has ended');
        if (model === 'RefreshToken') removed.push(...(await extendGrant(manager, grantId)));
      }
      await manager.upsert(OauthArtifactEntity, row, ['idHash']);
    });
  }

  private async find(model: string, id: string): Promise<AdapterPayload | undefined> {
    const row = await this.transactions.manager.findOneBy(OauthArtifactEntity, {
      idHash: this.hash(model, id),
      expiresAt: MoreThan(new Date()),
    });
    return row === null ? undefined : { ...payloadOf(row), jti: id };
  }

  private async findByUserCode(model: string, userCode: string): Promise<AdapterPayload | undefined> {
    const row = await this.transactions.manager.findOneBy(OauthArtifactEntity, {
      model,
      userCodeHash: this.hash('UserCode', userCode),
      expiresAt: MoreThan(new Date()),
    });
    return row === null ? undefined : { ...payloadOf(row), userCode };
  }

  private async consume(model: string, id: string): Promise<void> {
    const idHash = this.hash(model, id);
    const { manager } = this.transactions;
    // Every transaction locks the grant before its tokens, including the end of a grant after a
    // second use. Two requests that first took a shared lock would wait for each other.
    await manager.query(
      `SELECT 1 FROM oauth_consents WHERE id = (SELECT grant_id FROM oauth_artifacts WHERE id_hash = $1) FOR UPDATE`,
      [idHash],
    );
    const unused = { idHash, consumedAt: IsNull() };
    const taken = await manager.update(OauthArtifactEntity, unused, { consumedAt: new Date() });
    if (taken.affected !== 1) throw new (oidcErrors().InvalidGrant)('already used');
  }

  private async destroy(model: string, id: string): Promise<void> {
    if (model === 'Grant') return this.endGrant(id);
    const idHash = this.hash(model, id);
    await this.transactions.within(async ({ manager, removed }) => {
      await manager.delete(OauthArtifactEntity, { idHash });
      if (model === 'AccessToken') removed.push(documentKey.accessToken(idHash));
    });
  }

  private async endGrant(grantId: string): Promise<void> {
    const isRevocation = currentOauthCall()?.request.uri.endsWith('/revoke') === true;
    const reason = isRevocation ? 'revoked by the client' : 'a code or refresh token was used twice';
    await this.transactions.within((work) => endGrant(work, grantId, reason));
  }
}

const payloadOf = ({ payload, consumedAt }: OauthArtifactEntity): AdapterPayload => ({
  ...payload,
  ...(consumedAt === null ? {} : { consumed: Math.floor(consumedAt.getTime() / 1_000) }),
});

/**
 * Extends a grant to the lifetime of its newest refresh token. Returns the document keys of access
 * tokens that were deleted to stay within the maximum.
 */
async function extendGrant(manager: OauthTransactions['manager'], id: string): Promise<DocumentKey[]> {
  const now = Date.now();
  const expiresAt = new Date(now + GRANT_DAYS * 86_400_000);
  await manager.update(OauthConsentEntity, { id }, { expiresAt, lastUsedAt: new Date(now) });
  await manager.query(
    `UPDATE oauth_artifacts SET expires_at = $2, payload = jsonb_set(payload, '{exp}', to_jsonb($3::bigint))
     WHERE grant_id = $1 AND model = 'Grant'`,
    [id, expiresAt, Math.floor(expiresAt.getTime() / 1_000)],
  );
  // Bounds the rows of a client that keeps refreshing; older refresh tokens then become unknown
  // instead of used.
  const [gone] = await manager.query<[{ readonly model: string; readonly id_hash: string }[], number]>(
    `DELETE FROM oauth_artifacts WHERE id_hash IN (
       SELECT id_hash FROM oauth_artifacts WHERE grant_id = $1 AND model IN ('AccessToken', 'RefreshToken')
       ORDER BY created_at DESC, id_hash OFFSET $2)
     RETURNING model, id_hash`,
    [id, TOKENS_MAX],
  );
  return gone
    .filter(({ model }) => model === 'AccessToken')
    .map(({ id_hash: hash }) => documentKey.accessToken(hash));
}
