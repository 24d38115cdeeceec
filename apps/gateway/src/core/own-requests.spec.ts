import { routeOf } from '../routes/route-table';
import { RequestsInFlight } from '../in-flight/requests-in-flight';
import { Faults } from './faults';
import { OwnRequests } from './own-requests';
import type { PipelineStages } from './pipeline';
import type { RequestContext } from './request-context';

const DEPTH = 50_000;

describe('OwnRequests', () => {
  it('sends no body that is nested too deeply to be written', async () => {
    const faults = new Faults({ error: () => undefined });
    const requests = new OwnRequests({} as PipelineStages, () => undefined, new RequestsInFlight(), faults);
    const body = { model: 'm', messages: JSON.parse('['.repeat(DEPTH) + ']'.repeat(DEPTH)) as unknown };
    const { signal } = new AbortController();
    const route = routeOf('POST', '/chat/completions');
    await expect(requests.send({} as RequestContext, route, body, signal)).resolves.toBeNull();
  });
});
