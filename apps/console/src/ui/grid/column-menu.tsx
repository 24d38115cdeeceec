import { ActionIcon, Menu } from '@mantine/core';
import type { ReactElement } from 'react';
import { uiText } from '../../messages/en/ui';
import { Icon } from '../icons/icon';
import type { Column, ColumnChoice } from './columns';

export interface ColumnMenuProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly choice: ColumnChoice<Row>;
}

/**
 * Menu that chooses the columns of a grid. The first column cannot be hidden, because it names the
 * row.
 */
export function ColumnMenu<Row>({ columns, choice }: ColumnMenuProps<Row>): ReactElement {
  const shown = choice.shown.map(({ id }) => id);
  const toggle = (id: string): void => {
    const order = columns.map((column) => column.id);
    const next = shown.includes(id) ? shown.filter((one) => one !== id) : [...shown, id];
    choice.setShown(next.sort((one, other) => order.indexOf(one) - order.indexOf(other)));
  };
  return (
    <Menu closeOnItemClick={false} position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" aria-label={uiText.grid.columns} title={uiText.grid.columns}>
          <Icon name="columns" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {columns.map(({ id, header }, at) => (
          <Menu.CheckboxItem
            key={id}
            checked={shown.includes(id)}
            disabled={at === 0}
            onChange={() => toggle(id)}
          >
            {header}
          </Menu.CheckboxItem>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={choice.reset}>{uiText.grid.resetColumns}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
