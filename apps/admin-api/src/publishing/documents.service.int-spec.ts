import { credentialBinding, documentKey, type ProviderDocument } from '@gw/contracts';
import {
  ApiKeyEntity,
  ApiKeySecretEntity,
  ConfigEntity,
  ConfigVersionEntity,
  IntegrationEntity,
  IntegrationModelEntity,
  OrganisationEntity,
  ProviderEntity,
  WorkspaceEntity,
} from '@gw/entities';
import { unseal, uuidv7 } from '@gw/kernel';
import { testDatabase } from '@gw/testing';
import { CredentialsService } from '../platform/credentials/credentials.service';
import { GuardrailCredentials } from '../platform/credentials/guardrail-credentials';
import { SecretAccess } from '../platform/credentials/secret-access';
import { SigningKeys } from '../platform/oauth/signing-keys';
import { Secrets } from '../settings';
import { DocumentsService } from './documents.service';
import { SigningKeyDocuments } from './signing-key-documents';

const secrets = new Secrets(Buffer.alloc(32, 7), 'service-token-of-the-test-0123456789');

describe('DocumentsService', () => {
  const database = testDatabase();
  const credentials = new CredentialsService(secrets);
  const [organisationId, workspaceId, apiKeyId, integrationId, providerId, configId, versionId] = Array.from(
    { length: 7 },
    () => uuidv7(),
  ) as [string, string, string, string, string, string, string];
  const hash = 'a'.repeat(64);
  const oldHash = 'b'.repeat(64);
  const keyOf = {
    apiKey: documentKey.apiKey(hash),
    oldApiKey: documentKey.apiKey(oldHash),
    organisation: documentKey.organisation(organisationId),
    workspace: documentKey.workspace(workspaceId),
    provider: documentKey.provider(workspaceId, 'openai-prod'),
    config: documentKey.config(workspaceId, 'pc-main-1a2b3c'),
    configById: documentKey.config(workspaceId, configId),
  };
  let service: DocumentsService;

  beforeAll(async () => {
    const access = new SecretAccess(secrets);
    const ofGuardrails = new GuardrailCredentials(secrets, access);
    const features = { GUARDRAILS_ENABLED: true, USAGE_LIMITS_ENABLED: true, POLICY_ENABLED: true };
    const signingKeys = new SigningKeyDocuments(new SigningKeys(database.dataSource, secrets), secrets, {
      PUBLIC_URL: null,
    });
    service = new DocumentsService(
      ...([database.dataSource, credentials, access, ofGuardrails, secrets, signingKeys, features] as const),
    );
    const { manager } = database.dataSource;
    await manager.insert(OrganisationEntity, {
      id: organisationId,
      name: 'Acme',
      slug: 'acme',
      settings: { debug_log: 0 },
      dataPlaneSecuritySettings: { block_inline_config: true },
    });
    await manager.insert(WorkspaceEntity, {
      id: workspaceId,
      organisationId,
      slug: 'main',
      name: 'Main',
      settings: { debug_log: 1 },
      defaults: { metadata: { team: 'core' }, user_api_key_config: configId },
    });
    await manager.insert(ApiKeyEntity, {
      id: apiKeyId,
      type: 'workspace-service',
      organisationId,
      workspaceId,
      name: 'ci',
      scopes: ['completions.write'],
      rateLimits: [{ type: 'requests', unit: 'rpm', value: 60 }],
      usageLimits: {
        type: 'cost',
        credit_limit: 10,
        alert_threshold: 8,
        periodic_reset: 'monthly',
        periodic_reset_days: null,
        next_usage_reset_at: null,
        status: 'active',
      },
      expiresAt: new Date('2030-01-01T00:00:00Z'),
    });
    await manager.insert(ApiKeySecretEntity, [
      { secretHash: hash, apiKeyId, masked: 'aa*****aaa', state: 'current' },
      {
        secretHash: oldHash,
        apiKeyId,
        masked: 'bb*****bbb',
        state: 'transition',
        expiresAt: new Date('2027-01-01T00:00:00Z'),
      },
    ]);
    await manager.insert(IntegrationEntity, {
      id: integrationId,
      organisationId,
      aiProviderId: 'openai',
      slug: 'openai',
      name: 'OpenAI',
      sealedCredential: credentials.seal(
        { id: integrationId, organisationId },
        { apiKey: 'sk-secret', configurations: {} },
      ),
      configurations: { custom_host: 'https://api.example.com/v1' },
      allowAllModels: false,
    });
    await manager.insert(IntegrationModelEntity, {
      id: uuidv7(),
      integrationId,
      slug: 'gpt-x',
      enabled: true,
      isCustom: true,
      pricingConfig: {
        type: 'static',
        pay_as_you_go: { request_token: { price: 0.001 }, response_token: { price: 0.002 } },
      },
    });
    await manager.insert(ProviderEntity, {
      id: providerId,
      organisationId,
      workspaceId,
      integrationId,
      slug: 'openai-prod',
      name: 'OpenAI production',
    });
    await manager.insert(ConfigEntity, {
      id: configId,
      organisationId,
      workspaceId,
      slug: 'pc-main-1a2b3c',
      name: 'main',
      currentVersionId: versionId,
      isDefault: true,
    });
    await manager.insert(ConfigVersionEntity, {
      id: versionId,
      configId,
      number: 1,
      content: { provider: '@openai-prod' },
    });
  });

  it('builds every kind of document from its rows', async () => {
    const { documents } = await service.read(Object.values(keyOf));
    expect(documents[keyOf.apiKey]).toMatchObject({
      kind: 'api_key',
      id: apiKeyId,
      scopes: ['completions.write'],
      expiresAt: '2030-01-01T00:00:00.000Z',
      rateLimits: [{ type: 'requests', unit: 'rpm', value: 60 }],
      usageLimits: [{ type: 'cost', creditLimit: 10, alertThreshold: 8, periodicReset: 'monthly' }],
      defaults: { metadata: {}, config: null, allowConfigOverride: true },
    });
    expect(documents[keyOf.organisation]).toMatchObject({ blockInlineConfig: true, logBodies: false });
    // The document contains only the workspace's own settings: restrictions of the organisation are
    // in the organisation's document.
    expect(documents[keyOf.workspace]).toMatchObject({
      blockInlineConfig: false,
      logBodies: true,
      defaults: { metadata: { team: 'core' }, config: configId, userKeyConfig: configId },
    });
    expect(documents[keyOf.provider]).toMatchObject({
      id: providerId,
      providerId: 'openai',
      allowAllModels: false,
      configurations: { custom_host: 'https://api.example.com/v1' },
      models: [{ slug: 'gpt-x', enabled: true, price: { input: 0.001, output: 0.002 } }],
    });
    expect(documents[keyOf.config]).toMatchObject({ versionId, config: { provider: '@openai-prod' } });
    expect(documents[keyOf.configById]).toEqual(documents[keyOf.config]);
  });

  it('ends a secret in transition at its own time, before the key expires', async () => {
    const { documents } = await service.read([keyOf.oldApiKey]);
    expect(documents[keyOf.oldApiKey]).toMatchObject({ expiresAt: '2027-01-01T00:00:00.000Z' });
  });

  it('seals the credential for the provider, with a version that stays the same when it is sealed again', async () => {
    const read = async (): Promise<ProviderDocument> =>
      (await service.read([keyOf.provider])).documents[keyOf.provider] as ProviderDocument;
    const [first, second] = [await read(), await read()];
    const opened = unseal(
      secrets.sealingKeyring,
      first.sealedCredential ?? '',
      credentialBinding(workspaceId, providerId),
    );
    expect(JSON.parse(opened.toString())).toEqual({ apiKey: 'sk-secret', configurations: {} });
    expect(JSON.stringify(first)).not.toContain('sk-secret');
    expect(first.version).toBe(second.version);
  });

  it('changes the version of a document when its content changes', async () => {
    const before = (await service.read([keyOf.provider])).documents[keyOf.provider]?.version;
    await database.dataSource.manager.update(IntegrationModelEntity, { integrationId }, { enabled: false });
    const after = (await service.read([keyOf.provider])).documents[keyOf.provider]?.version;
    expect(after).not.toBe(before);
  });

  it('returns null for unknown, foreign and invalid keys, and the documents of the other keys', async () => {
    const strange = [
      documentKey.apiKey('c'.repeat(64)),
      documentKey.provider(organisationId, 'openai-prod'),
      documentKey.config(uuidv7(), configId),
      `provider:${workspaceId}:bad\0slug`,
      `workspace:${workspaceId}:`,
      'workspace:not-a-uuid',
      'toString',
      '',
    ];
    const { documents } = await service.read([...strange, keyOf.workspace]);
    for (const key of strange) expect(documents[key]).toBeNull();
    expect(documents[keyOf.workspace]).not.toBeNull();
  });

  it('leaves out a document that cannot be built, and returns the others', async () => {
    const { manager } = database.dataSource;
    const id = uuidv7();
    // Sealed for another integration, as after a restore of single rows, so that it does not open.
    const sealedCredential = credentials.seal(
      { id: uuidv7(), organisationId },
      { apiKey: 'sk-secret', configurations: {} },
    );
    await manager.insert(IntegrationEntity, {
      ...{ id, organisationId, aiProviderId: 'openai', slug: 'broken', name: 'Broken', sealedCredential },
    });
    await manager.insert(ProviderEntity, {
      ...{ id: uuidv7(), organisationId, workspaceId, integrationId: id, slug: 'broken', name: 'Broken' },
    });
    const broken = documentKey.provider(workspaceId, 'broken');
    const unknown = documentKey.apiKey('c'.repeat(64));
    const { sequence, documents } = await service.read([keyOf.workspace, broken, keyOf.provider, unknown]);
    expect(Object.keys(documents)).toEqual([keyOf.workspace, keyOf.provider, unknown]);
    expect(documents[keyOf.provider]).toMatchObject({ slug: 'openai-prod' });
    expect([typeof sequence, documents[unknown]]).toEqual(['number', null]);
  });

  it('rejects while the database cannot be read', async () => {
    const away = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const broken = jest.spyOn(database.dataSource, 'transaction').mockRejectedValue(away);
    await expect(service.read([keyOf.workspace, keyOf.provider])).rejects.toBe(away);
    expect(broken).toHaveBeenCalledTimes(1);
    broken.mockRestore();
  });

  it('returns null once a row is archived', async () => {
    const { manager } = database.dataSource;
    await manager.update(ApiKeyEntity, { id: apiKeyId }, { status: 'archived' });
    await manager.update(IntegrationEntity, { id: integrationId }, { status: 'archived' });
    await manager.update(ConfigEntity, { id: configId }, { status: 'archived' });
    const keys = [keyOf.apiKey, keyOf.oldApiKey, keyOf.provider, keyOf.config, keyOf.configById];
    const { documents } = await service.read(keys);
    expect(Object.values(documents)).toEqual(keys.map(() => null));
    const workspace = (await service.read([keyOf.workspace])).documents[keyOf.workspace];
    expect(workspace).toMatchObject({ defaults: { config: null } });
  });
});
