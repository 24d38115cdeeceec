import { acceptsLogFilter } from '../filters/fields';
import { LOG_VIEW_NAMES, LOG_VIEWS, slowFilter, viewOf } from './views';

describe('views of logs', () => {
  it('have filters that the list accepts, and are recognised by them', () => {
    for (const name of LOG_VIEW_NAMES) {
      const filters = LOG_VIEWS[name] ?? [slowFilter(812.6)];
      expect(filters.filter((filter) => !acceptsLogFilter(filter))).toEqual([]);
      expect(viewOf({ filters, text: '' })).toBe(name);
      expect(viewOf({ filters, text: 'contract' })).toBeNull();
    }
  });

  it('are not recognised when a filter was added', () => {
    expect(viewOf({ filters: [...LOG_VIEWS.failed, ...LOG_VIEWS.cut], text: '' })).toBeNull();
  });
});
