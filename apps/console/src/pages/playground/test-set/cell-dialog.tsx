import { Modal } from '@mantine/core';
import type { ReactElement } from 'react';
import { GoLink, useWorkspace } from '../../../app';
import { playground } from '../../../messages';
import { testSets as text } from '../../../messages/en/test-sets';
import { Duration, KeyValues, Money } from '../../../ui/primitives';
import { CellBadge } from './cell-badge';
import type { Cell } from './test-run';

interface CellDialogProps {
  readonly cell: Cell;
  readonly title: string;
  readonly onClose: () => void;
}

/** Dialog with one response of a test set and its verdict. */
export function CellDialog({ cell, title, onClose }: CellDialogProps): ReactElement {
  const { slug } = useWorkspace();
  const { text: answer, verdict, message, cost, tookMs, requestId } = cell;
  return (
    <Modal opened onClose={onClose} title={title} size="lg">
      <div className="col">
        <KeyValues
          items={[
            [text.result, <CellBadge key="result" cell={cell} />],
            [text.reason, message ?? verdict?.reason ?? '–'],
            [text.took, <Duration key="took" ms={tookMs} />],
            [text.cost, <Money key="cost" e8={cost} priced="priced" as="exact" />],
            [
              text.log,
              requestId === null ? (
                '–'
              ) : (
                <GoLink
                  key="log"
                  to={`/w/${encodeURIComponent(slug)}/logs?log=${encodeURIComponent(requestId)}`}
                >
                  {playground.why}
                </GoLink>
              ),
            ],
          ]}
        />
        <div className="private tests-answer" tabIndex={0} role="region" aria-label={text.answer}>
          {answer === '' ? (
            <p className="muted">{text.noAnswer}</p>
          ) : (
            <p className="playground-text">{answer}</p>
          )}
        </div>
      </div>
    </Modal>
  );
}
