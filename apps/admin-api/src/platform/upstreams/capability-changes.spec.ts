import { McpCapabilityEntity } from '@gw/entities';
import { changesOf, type ReadCapability } from './capability-changes';

const INTEGRATION = {
  ...{ id: '01890000-0000-7000-8000-000000000001', url: 'https://mcp.vendor.example/mcp' },
  ...({ approvalMode: 'auto', onChange: 'block', lastSyncedAt: null } as const),
};
const tool = (name: string): ReadCapability => ({
  ...{ type: 'tool', name, definition: { name, description: 'a '.repeat(8_000) } },
});

describe('changesOf', () => {
  it('lets other requests run while it compares many texts', async () => {
    const capabilities = Array.from({ length: 60 }, (_, at) => tool(`tool-${String(at)}`));
    const self: ReadCapability = { type: 'server', name: '@server', definition: {} };
    let [turns, isOver] = [0, false];
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const comparison = { otherNames: [], now: new Date(0) };
    const { rows } = await changesOf(
      McpCapabilityEntity,
      INTEGRATION,
      [],
      { self, capabilities },
      comparison,
    );
    isOver = true;
    expect(rows).toHaveLength(61);
    expect(turns).toBeGreaterThan(5);
  });
});
