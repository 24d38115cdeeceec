import type { JournalStats, ShipperStats } from '@gw/journal';
import { DAY_MS } from '@gw/kernel';
import type { ReadModelState } from '@gw/read-model';
import { HealthBoard } from '@gw/web';
import { GatewayHealth } from './gateway-health';
import { GatewayHarness } from '../spec-support/harness';

const CAP = 1_000;

function process() {
  const is = {
    state: { verified: false, sequence: null } as Partial<ReadModelState>,
    journal: {
      ...{ backlogBytes: 0, unwritten: 0, oldestAtMs: null },
      ...{ droppedAtCap: 5, droppedByDisk: 0, droppedOversized: 0, damagedRecords: 0 },
    } as JournalStats,
    home: { unreadable: [] as string[] },
    orphans: { sealedCount: 0 },
    presence: { clockSkewMs: null as number | null },
    shipper: { shipped: 0, failedSends: 0, failingSince: null } as ShipperStats,
  };
  const health = new GatewayHealth({
    documents: { state: () => is.state as ReadModelState },
    journal: { stats: () => is.journal },
    journalCapBytes: CAP,
    shipper: { stats: () => is.shipper },
    home: is.home,
    orphans: is.orphans,
    presence: is.presence,
    redis: null,
  });
  const board = new HealthBoard(health.parts);
  return { is, health, words: async () => (await board.words()).parts, report: () => board.report() };
}

describe('gateway health', () => {
  it('is ready once it has a state, and stays ready when the sources of that state fail', async () => {
    const { is, health, words } = process();
    expect([health.isReady(), await words()]).toMatchObject([false, { read_model: 'down' }]);
    is.state = { verified: true, sequence: 7 };
    expect([health.isReady(), await words()]).toMatchObject([true, { read_model: 'ok' }]);
    is.state = { verified: false, sequence: 7 };
    is.shipper = { ...is.shipper, failingSince: new Date(0) };
    expect(health.isReady()).toBe(true);
    expect(await words()).toEqual({
      read_model: 'degraded',
      log_shipping: 'degraded',
      journal: 'ok',
      clock: 'ok',
    });
  });

  it('is ready with nothing but the snapshot from its disk', () => {
    const { is, health } = process();
    is.state = { verified: false, sequence: 3 };
    expect(health.isReady()).toBe(true);
  });

  it('reports since when records wait, that the journal is filling, and that records are lost', async () => {
    const { is, report } = process();
    const since = new Date('2026-01-02T03:04:05.000Z');
    is.shipper = { ...is.shipper, failingSince: since };
    is.journal = { ...is.journal, backlogBytes: 900 };
    expect(await report()).toMatchObject([
      {},
      { name: 'log_shipping', since: since.toISOString(), reason: expect.any(String) as string },
      { name: 'journal', status: 'degraded', figures: { backlog_bytes: 900, cap_bytes: CAP } },
      { name: 'clock' },
    ]);
    is.journal = { ...is.journal, droppedAtCap: 6 };
    expect((await report())[2]).toMatchObject({ status: 'down', figures: { dropped: 6 } });
  });

  it('is degraded while the oldest record has waited too long, although no send has failed [faults D10]', async () => {
    const { is, report } = process();
    is.state = { verified: true, sequence: 7 };
    is.journal = { ...is.journal, oldestAtMs: Date.now() - 1_000 };
    expect((await report())[1]).toMatchObject({ name: 'log_shipping', status: 'ok' });
    const oldestAtMs = Date.now() - 120_000;
    is.journal = { ...is.journal, oldestAtMs };
    expect((await report())[1]).toMatchObject({
      ...{ name: 'log_shipping', status: 'degraded', since: new Date(oldestAtMs).toISOString() },
    });
  });

  it('is degraded while its clock is far from the control plane’s clock [faults D7]', async () => {
    const { is, words } = process();
    is.presence.clockSkewMs = 1_500;
    expect(await words()).toMatchObject({ clock: 'ok' });
    is.presence.clockSkewMs = -30 * DAY_MS;
    expect(await words()).toMatchObject({ clock: 'degraded' });
  });

  it('is down after records were damaged, and degraded while the disk refuses records or a key for them is missing [faults D8]', async () => {
    const { is, report } = process();
    is.orphans.sealedCount = 1;
    expect((await report())[2]).toMatchObject({ status: 'degraded', figures: { sealed_journals: 1 } });
    is.journal = { ...is.journal, unwritten: 3 };
    expect((await report())[2]).toMatchObject({ status: 'degraded', figures: { unwritten: 3 } });
    is.journal = { ...is.journal, damagedRecords: 2 };
    expect((await report())[2]).toMatchObject({ status: 'down', figures: { damaged: 2 } });
  });

  it('is degraded while an unreadable entry is set aside in the journal folder, and names the entry', async () => {
    const { is, report } = process();
    is.home.unreadable.push('segment-000000000001.log.unreadable');
    expect((await report())[2]).toMatchObject({
      ...{ status: 'degraded', figures: { unreadable: 1 } },
      reason: expect.stringContaining('segment-000000000001.log.unreadable') as string,
    });
  });

  it('reports states to every caller, and the figures of each part only to our own processes', async () => {
    const gateway = await GatewayHarness.start();
    const ask = async (path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`http://127.0.0.1:${String(gateway.port)}${path}`, { headers });
      return [response.status, await response.json()] as [number, Record<string, unknown>];
    };
    try {
      for (const base of ['/health', '/v1/health']) {
        expect(await ask(base)).toEqual([
          200,
          {
            ...{ status: 'ok', service: 'gateway', version: expect.any(String) as string, degraded: [] },
            parts: { limits: 'ok', overload: 'ok', secret_managers: 'ok' },
          },
        ]);
        for (const probe of ['live', 'ready'])
          expect(await ask(`${base}/${probe}`)).toEqual([200, { status: 'ok' }]);
        expect((await ask(`${base}/parts`, { authorization: 'Bearer wrong' }))[0]).toBe(401);
        const [, { parts }] = await ask(`${base}/parts`, gateway.serviceAuth);
        expect(parts).toContainEqual(
          expect.objectContaining({ name: 'limits', reason: null, since: expect.any(String) as string }),
        );
      }
      expect((await fetch(`${gateway.baseUrl}/health/ready`, { method: 'POST' })).status).toBe(405);
    } finally {
      await gateway.stop();
    }
  });
});
