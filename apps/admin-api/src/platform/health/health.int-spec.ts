import { databaseOutage, eventually, withRedis } from '@gw/testing';
import type { HealthWords, PartReport } from '@gw/web';
import { SERVICE_TOKEN, TestAdminApi } from '../../spec-support/admin-api';

describe('health of the admin API', () => {
  const redis = withRedis();
  const admin = new TestAdminApi(() => Promise.resolve({ REDIS_URL: redis.url }));
  const words = async (): Promise<HealthWords> => (await admin.get<HealthWords>('/health')).body;
  const stateOf = async (name: string): Promise<PartReport | undefined> => {
    const { body } = await admin.get<{ parts: PartReport[] }>('/health/parts', { token: SERVICE_TOKEN });
    return body.parts.find((part) => part.name === name);
  };

  it('is ready with its database, even without Redis, and reports which component is down and since when', async () => {
    await eventually(async () => (await words()).status === 'ok');
    const begun = new Date().toISOString();
    await redis.kill();
    await eventually(async () => (await words()).parts['redis'] === 'down');
    // On a busy machine, a check of a component that works can take too long.
    await eventually(async () => {
      expect((await admin.get('/health/ready')).body).toEqual({ status: 'ok', lacks: [] });
      const away = await stateOf('redis');
      expect(away).toMatchObject({ status: 'down', reason: 'It does not respond.' });
      expect((away?.since ?? '') >= begun).toBe(true);
      return true;
    });
    await redis.start();
    await eventually(async () => (await words()).status === 'ok');
    await eventually(async () => {
      expect(await stateOf('redis')).toMatchObject({ status: 'ok', reason: null });
      return true;
    });
  });

  it('is alive but not ready while its database is down, and ready again afterwards', async () => {
    const outage = await databaseOutage(admin.database.url);
    try {
      await outage.begin();
      await eventually(async () => (await admin.get('/health/ready')).status === 503);
      expect((await admin.get('/health/ready')).body).toEqual({ status: 'down', lacks: ['postgres'] });
      for (const path of ['/health', '/health/live']) expect((await admin.get(path)).status).toBe(200);
      await eventually(async () => {
        expect((await words()).degraded).toEqual(['postgres']);
        return true;
      });
    } finally {
      await outage.release();
    }
    await eventually(async () => (await admin.get('/health/ready')).status === 200);
  });

  it('shows details of the components only to Tollgate’s own processes', async () => {
    const { key, adminKey } = await admin.tenant();
    for (const call of [{}, { token: 'wrong' }, { key }, { key: adminKey }])
      expect((await admin.get('/v1/health/parts', call)).status).toBe(401);
  });
});
