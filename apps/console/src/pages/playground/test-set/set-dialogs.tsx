import type { ReactElement } from 'react';
import { testSets as text } from '../../../messages/en/test-sets';
import { AddRowsDialog } from './add-rows-dialog';
import { CellDialog } from './cell-dialog';
import { RowDialog } from './row-dialog';
import type { ShownRow } from './test-grid';
import type { ChangeSet } from './use-kept-set';

/** The open dialog: `add`, or the dialog of a row by id, or of its response in a column. */
export type SetDialog = 'add' | { readonly row: number; readonly column?: number };

interface SetDialogsProps {
  readonly dialog: SetDialog | null;
  readonly rows: readonly ShownRow[];
  readonly change: ChangeSet;
  readonly onClose: () => void;
}

export function SetDialogs({ dialog, rows, change, onClose }: SetDialogsProps): ReactElement | null {
  if (dialog === null) return null;
  if (dialog === 'add')
    return (
      <AddRowsDialog
        rows={rows.map(({ row }) => row)}
        onAdd={(added) => {
          change((before) => ({ rows: [...before.rows, ...added] }));
          onClose();
        }}
        onClose={onClose}
      />
    );
  const one = rows.find(({ row }) => row.id === dialog.row);
  if (one === undefined) return null;
  const { row, number, cells } = one;
  if (dialog.column !== undefined) {
    const cell = cells[dialog.column];
    const title = text.cell(number, dialog.column + 1);
    return cell === undefined ? null : <CellDialog cell={cell} title={title} onClose={onClose} />;
  }
  return (
    <RowDialog
      row={row}
      number={number}
      onCheck={(check) =>
        change((before) => ({
          rows: before.rows.map((each) => (each.id === row.id ? { ...each, check } : each)),
        }))
      }
      onRemove={() => {
        change((before) => ({ rows: before.rows.filter(({ id }) => id !== row.id) }));
        onClose();
      }}
      onClose={onClose}
    />
  );
}
