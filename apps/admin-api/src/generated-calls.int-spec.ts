import { TestAdminApi } from './spec-support/admin-api';
import { faultsOfGeneratedCalls } from './spec-support/generated-calls';

describe('calls that are generated from the OpenAPI document', () => {
  const admin = new TestAdminApi();

  it('are answered as the document says and never with a fault of the server, in a sample of 300', async () => {
    const { faults, statuses } = await faultsOfGeneratedCalls(admin, { count: 500, seed: 20_261_121 });
    expect(faults).toEqual([]);
    // Enough of them got as far as the rows.
    expect(statuses[200]).toBeGreaterThan(40);
  }, 120_000);
});
