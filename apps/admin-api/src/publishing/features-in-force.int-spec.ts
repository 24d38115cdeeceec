import {
  documentKey,
  EVERY_DOCUMENT,
  type ApiKeyDocument,
  type ProviderDocument,
  type WorkspaceDocument,
} from '@gw/contracts';
import { ApiKeyEntity, ChangeEventEntity, ProviderEntity, WorkspaceEntity } from '@gw/entities';
import { readSettings } from '@gw/kernel';
import { CredentialsService } from '../platform/credentials/credentials.service';
import { GuardrailCredentials } from '../platform/credentials/guardrail-credentials';
import { SecretAccess } from '../platform/credentials/secret-access';
import { FEATURE_SETTINGS, Secrets } from '../settings';
import { TestAdminApi } from '../spec-support/admin-api';
import { createKey, hashOf } from '../spec-support/api-keys';
import { createIntegration } from '../spec-support/integrations';
import { testDatabase } from '@gw/testing';
import { ChangeRecorder } from '../platform/unit-of-work/change-recorder';
import { DocumentsService } from './documents.service';
import { SigningKeyDocuments } from './signing-key-documents';
import { EnforcedFeaturesNotice } from './enforced-features';

const LIMIT = { credit_limit: 10, periodic_reset: 'weekly' };
const POLICY = {
  name: 'Search team',
  conditions: [{ key: 'metadata.team', value: 'search' }],
  group_by: [{ key: 'api_key' }],
};

describe.each([
  ['nothing is', {}, { limits: 1, policies: [1, 1], exhausted: 'exhausted' }],
  [
    'USAGE_LIMITS_ENABLED is',
    { USAGE_LIMITS_ENABLED: 'OFF' },
    { limits: 0, policies: [0, 1], exhausted: 'active' },
  ],
  ['POLICY_ENABLED is', { POLICY_ENABLED: 'OFF' }, { limits: 1, policies: null, exhausted: 'exhausted' }],
] as const)('documents that gateways enforce while %s off', (_title, environment, expected) => {
  const admin = new TestAdminApi();
  const ours = admin.sharedTenant();
  // Resources that were saved before the switch still exist.
  const switched = (): DocumentsService =>
    new DocumentsService(
      admin.dataSource,
      admin.api.app.get(CredentialsService),
      admin.api.app.get(SecretAccess),
      admin.api.app.get(GuardrailCredentials),
      admin.api.app.get(Secrets),
      admin.api.app.get(SigningKeyDocuments),
      readSettings(FEATURE_SETTINGS, environment),
    );

  it('[ENV-07] contain only budgets and policies whose feature is on, and none of their exhausted states', async () => {
    const { id: keyId, key } = await createKey(admin, ours.key, { usage_limits: LIMIT });
    const integration = await createIntegration(admin, ours.key, { create_default_provider: false });
    const made = await admin.post('/v1/providers', {
      key: ours.key,
      body: { name: 'Main', slug: 'main', integration_id: integration.id, usage_limits: LIMIT },
    });
    expect(made.status).toBe(200);
    const usage = { ...POLICY, type: 'cost', credit_limit: 5 };
    const rate = { ...POLICY, type: 'requests', unit: 'rpm', value: 5 };
    for (const [path, body] of Object.entries({ 'usage-limits': usage, 'rate-limits': rate })) {
      expect((await admin.post(`/v2/policies/${path}`, { key: ours.key, body })).status).toBe(200);
    }
    const { manager } = admin.dataSource;
    await manager.update(ApiKeyEntity, { id: keyId }, { status: 'exhausted' });
    await manager.update(
      ProviderEntity,
      { slug: 'main', workspaceId: ours.workspaceId },
      { status: 'exhausted' },
    );
    const { id } = await manager.findOneByOrFail(WorkspaceEntity, { id: ours.workspaceId });
    const named = [
      documentKey.apiKey(hashOf(key)),
      documentKey.provider(id, 'main'),
      documentKey.workspace(id),
    ];

    const { documents } = await switched().read(named);
    const [apiKey, provider, workspace] = named.map((name) => documents[name]) as unknown as [
      ApiKeyDocument,
      ProviderDocument,
      WorkspaceDocument,
    ];
    expect([apiKey.status, provider.status]).toEqual([expected.exhausted, expected.exhausted]);
    expect([apiKey.usageLimits, provider.usageLimits].map(({ length }) => length)).toEqual(
      Array(2).fill(expected.limits),
    );
    const { policies } = workspace;
    expect(policies ? [policies.usageLimits.length, policies.rateLimits.length] : null).toEqual(
      expected.policies,
    );
    const before = (await admin.api.app.get(DocumentsService).read(named)).documents;
    const same = Object.keys(environment).length === 0;
    // Gateways recognise a changed document by its version.
    expect(before[documentKey.workspace(id)]?.version === workspace.version).toBe(same);
  });
});

describe('a feature switch that has changed since the last start', () => {
  const database = testDatabase();
  const start = async (environment: Readonly<Record<string, string>>): Promise<string[][]> => {
    const { manager } = database.dataSource;
    const before = await manager.countBy(ChangeEventEntity, {});
    const features = readSettings(FEATURE_SETTINGS, environment);
    await new EnforcedFeaturesNotice(database.dataSource, new ChangeRecorder(), features).onModuleInit();
    const events = await manager.find(ChangeEventEntity, { order: { sequence: 'ASC' }, skip: before });
    return events.map(({ changed }) => changed);
  };

  it('[ENV-07] makes every gateway read its documents again, once', async () => {
    expect(await start({})).toEqual([]);
    expect(await start({ POLICY_ENABLED: 'OFF' })).toEqual([[EVERY_DOCUMENT]]);
    expect(await start({ POLICY_ENABLED: 'OFF' })).toEqual([]);
    expect(await start({ POLICY_ENABLED: 'OFF', USAGE_LIMITS_ENABLED: 'OFF' })).toEqual([[EVERY_DOCUMENT]]);
    expect(await start({})).toEqual([[EVERY_DOCUMENT]]);
    expect(await start({ SCIM_ENABLED: 'OFF' })).toEqual([]);
  });
});
