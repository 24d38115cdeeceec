import { createContext, useContext, type ReactElement, type ReactNode } from 'react';
import { logDetail } from '../../../messages/en/log-detail';
import { Icon } from '../../../ui/icons/icon';
import type { Filter } from '../../../url';

/** Function that adds a filter to the list of logs; null on a page without the list. */
export const FilterByContext = createContext<((filter: Filter) => void) | null>(null);

interface Props {
  readonly field: string;
  readonly value: string;
  readonly children: ReactNode;
}

/** A value with a button that filters the list of logs by it. */
export function FilterBy({ field, value, children }: Props): ReactElement {
  const filterBy = useContext(FilterByContext);
  const label = logDetail.filterBy(field, value);
  return (
    <span className="filter-by">
      {children}
      {filterBy !== null && value !== '' && (
        <button
          type="button"
          className="plain-button filter-by-button"
          aria-label={label}
          title={label}
          onClick={() => filterBy({ field, not: false, match: { kind: 'any', values: [value] } })}
        >
          <Icon name="filter" size={12} />
        </button>
      )}
    </span>
  );
}
