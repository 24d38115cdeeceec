import { once } from 'node:events';
import { createServer } from 'node:net';

import { INNER_PORTS } from '@gw/embedded-postgres';

import { eventually } from './eventually';

type Module = typeof import('./free-port');

/**
 * Loads independent copies of the module, which simulate processes that share only the machine. All
 * copies start at the same port, which `at` places in the range: 0 is the first.
 */
function copies(count: number, at = 0.5): readonly Module[] {
  const random = jest.spyOn(Math, 'random').mockReturnValue(at);
  const loaded: Module[] = [];
  for (let copy = 0; copy < count; copy += 1) {
    jest.isolateModules(() => loaded.push(jest.requireActual<Module>('./free-port')));
  }
  random.mockRestore();
  return loaded;
}

describe('freePort', () => {
  it('returns a port to one process only, even if several start at the same port concurrently', async () => {
    const modules = copies(3);
    const pending = Array.from({ length: 10 }, () => modules.map(({ freePort }) => freePort())).flat();
    const ports = await Promise.all(pending);
    expect(new Set(ports).size).toBe(30);
  });

  it('returns no port that a product may pick for its Postgres', async () => {
    const [module] = copies(1, 1 - Number.EPSILON);
    expect(await module?.freePort()).toBeLessThan(INNER_PORTS.first);
  });

  it('skips a port that is in use', async () => {
    const [one, other] = copies(2);
    const server = createServer();
    // Another process of this machine may listen on the port already.
    const first = await eventually(async () => {
      const port = (await one?.freePort()) ?? 0;
      const isListening = once(server, 'listening');
      server.listen(port + 10, '127.0.0.1');
      await isListening;
      return port;
    });
    expect(await other?.freePort()).toBeGreaterThan(first + 10);
    await new Promise((resolve) => server.close(resolve));
  });
});
