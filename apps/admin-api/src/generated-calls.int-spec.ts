import { TestAdminApi } from './spec-support/admin-api';
import { faultsOfGeneratedCalls } from './spec-support/generated-calls';
import { StubWorker } from './spec-support/stub-worker';

describe('calls that are generated from the OpenAPI document', () => {
  let worker: StubWorker;
  const admin: TestAdminApi = new TestAdminApi(async () => {
    worker = await StubWorker.start(() => admin.dataSource);
    return { WORKER_URL: worker.stub.origin };
  });
  afterAll(() => worker.stub.stop());

  it('are answered as the document says and never with a fault of the server, in a sample of 500', async () => {
    const { faults, statuses } = await faultsOfGeneratedCalls(admin, { count: 500, seed: 20_261_121 });
    expect(faults).toEqual([]);
    // Enough of them got as far as the rows.
    expect(statuses[200]).toBeGreaterThan(40);
  }, 120_000);
});
