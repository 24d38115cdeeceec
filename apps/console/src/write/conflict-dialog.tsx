import { Button, Modal, SegmentedControl } from '@mantine/core';
import { useState, type ReactElement, type ReactNode } from 'react';
import { conflict as texts } from '../messages';
import { Note } from '../ui/primitives';
import type { MergedLeaf } from './merge';
import { nameOf } from './paths';
import type { FormConflict } from './use-resource-form';
import './conflict.css';

interface ConflictDialogProps {
  /** Name of the resource in the title. */
  readonly name: string;
  readonly conflict: FormConflict | null;
  /** Returns the label of a member; absent to use its path. */
  readonly labelOf?: (path: string) => string;
  /** Renders a value; absent to show it as JSON. */
  readonly shown?: (path: string, value: unknown) => ReactNode;
}

const plainly = (_path: string, value: unknown): ReactNode => {
  if (value === undefined || value === null) return texts.nothing;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/**
 * Lets the user choose a side for each member that two people changed. All other changes of both
 * sides are kept.
 */
export function ConflictDialog({ conflict, ...props }: ConflictDialogProps): ReactElement | null {
  // Each conflict begins without choices.
  return conflict === null ? null : <Choices {...props} conflict={conflict} />;
}

type ChoicesProps = ConflictDialogProps & { readonly conflict: FormConflict };

function Choices({ name, conflict, labelOf, shown = plainly }: ChoicesProps): ReactElement {
  const [choices, setChoices] = useState<ReadonlyMap<string, 'mine' | 'theirs'>>(new Map());
  const { leaves, resolve, dismiss, isSaving, problem } = conflict;
  const sideOf = ({ path, side }: MergedLeaf) =>
    side === 'conflict' ? (choices.get(nameOf(path)) ?? 'mine') : side;
  const own = leaves.filter((leaf) => sideOf(leaf) === 'mine');
  return (
    <Modal opened onClose={dismiss} size="xl" title={texts.title(name)}>
      <p className="sub conflict-lead">
        {texts.lead(leaves.filter(({ side }) => side === 'conflict').length)}
      </p>
      <table className="conflict-table">
        <thead>
          <tr>
            {[texts.field, texts.before, texts.mine, texts.theirs, texts.result].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {leaves.map((leaf) => {
            const path = nameOf(leaf.path);
            const label = labelOf?.(path) ?? path;
            const side = sideOf(leaf);
            return (
              <tr key={path}>
                <th scope="row">{label}</th>
                <td className="sub">{shown(path, leaf.before)}</td>
                <td className={leaf.side === 'theirs' ? '' : 'conflict-mine'}>
                  {leaf.side === 'theirs' ? texts.untouched : shown(path, leaf.mine)}
                </td>
                <td className={leaf.side === 'mine' ? '' : 'conflict-theirs'}>
                  {leaf.side === 'mine' ? texts.untouched : shown(path, leaf.theirs)}
                </td>
                <td>
                  {leaf.side === 'conflict' ? (
                    <SegmentedControl
                      aria-label={texts.choose(label)}
                      value={side}
                      data={[
                        { value: 'mine', label: texts.takeMine },
                        { value: 'theirs', label: texts.takeTheirs },
                      ]}
                      onChange={(value) => setChoices(new Map(choices).set(path, value))}
                    />
                  ) : (
                    shown(path, side === 'mine' ? leaf.mine : leaf.theirs)
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {problem !== null && <Note tone="danger">{problem.message}</Note>}
      <div className="conflict-foot">
        <code className="xs muted ell">{own.map(({ path }) => nameOf(path)).join(', ')}</code>
        <span className="row right">
          <Button onClick={dismiss}>{texts.goOn}</Button>
          <Button variant="filled" loading={isSaving} onClick={() => void resolve(choices)}>
            {texts.save(own.length)}
          </Button>
        </span>
      </div>
    </Modal>
  );
}
