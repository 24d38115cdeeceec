import { IntegrationModelEntity } from '@gw/entities';
import { TestAdminApi } from '../../spec-support/admin-api';
import { createIntegration } from '../../spec-support/integrations';

interface Models {
  readonly models: readonly {
    readonly slug: string;
    readonly warnings?: readonly { readonly path: string; readonly message: string }[];
  }[];
}

describe('prices of the models of an integration', () => {
  const admin = new TestAdminApi();
  const { key } = admin.sharedTenant();
  const prices = (price: number) => ({
    pay_as_you_go: { request_token: { price }, response_token: { price: 1 } },
  });

  it('show a warning for a saved price that cannot be counted, until a valid price is saved', async () => {
    const { id: integrationId, slug: integration } = await createIntegration(admin, key);
    const path = `/v1/integrations/${integration}/models`;
    const save = async (): Promise<void> => {
      const model = { slug: 'own-model', enabled: true, is_custom: true, pricing_config: prices(2) };
      const { status, text } = await admin.put(path, { key, body: { models: [model] } });
      expect([status, text]).toEqual([200, '{}']);
    };
    const warnings = async (): Promise<unknown> => {
      const { body } = await admin.get<Models>(path, { key });
      return body.models.find(({ slug }) => slug === 'own-model')?.warnings;
    };
    await save();
    expect(await warnings()).toBeUndefined();
    await admin.dataSource.manager.update(
      IntegrationModelEntity,
      { integrationId, slug: 'own-model' },
      { pricingConfig: prices(1e18) },
    );
    expect(await warnings()).toEqual([
      {
        path: 'pricing_config.pay_as_you_go.request_token.price',
        message: expect.stringMatching(/from 0 to 9000.*unpriced/) as string,
      },
    ]);
    await save();
    expect(await warnings()).toBeUndefined();
  });
});
