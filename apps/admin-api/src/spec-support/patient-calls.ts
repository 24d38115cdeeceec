import { BufferedClient } from '@gw/outbound';
import type { TestAdminApi } from './admin-api';

/**
 * Lets calls of an admin API to servers of the test take a minute, because on a busy machine this
 * process may get no time for longer than the real limit. Calls made while `isPatient` returns
 * false keep theirs. Call it at the top of a `describe` or a file, after the admin API.
 */
export function withPatientCalls(admin: TestAdminApi, isPatient = (): boolean => true): void {
  let calls: jest.SpyInstance | undefined;
  beforeAll(() => {
    const http = admin.api.app.get(BufferedClient);
    const fetch = http.fetchBuffered.bind(http);
    calls = jest
      .spyOn(http, 'fetchBuffered')
      .mockImplementation((request) => fetch(isPatient() ? { ...request, totalTimeoutMs: 60_000 } : request));
  });
  afterAll(() => calls?.mockRestore());
}
