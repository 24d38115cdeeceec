import { Button, Modal, NumberInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { isRunning, type RunRequest } from '../../../gateway';
import { runMany as text } from '../../../messages/en/run-many';
import { Icon } from '../../../ui/icons/icon';
import { useRunLogs } from '../columns/use-run-log';
import { RepeatedResponse } from './repeated-response';
import { SpreadTable } from './spread-table';
import { TIMES_MAX, TIMES_MIN, useRepeat } from './use-repeat';

const USUAL = 5;

interface RepeatDialogProps {
  /** Number of the column, starting at 1. */
  readonly number: number;
  /** Model or config of the column. */
  readonly words: string;
  readonly request: RunRequest;
  readonly onClose: () => void;
}

/**
 * Dialog that sends the request of one column several times and shows how the responses differ in
 * time, cost and length.
 */
export function RepeatDialog({ number, words, request, onClose }: RepeatDialogProps): ReactElement {
  const [times, setTimes] = useState<number | string>(USUAL);
  const { runs, isRunning: isBusy, start, stop } = useRepeat();
  const logs = useRunLogs(runs);
  const ended = runs.filter((run) => !isRunning(run)).length;
  const isValid = typeof times === 'number' && times >= TIMES_MIN && times <= TIMES_MAX;
  return (
    <Modal opened onClose={onClose} title={text.title(number, words)} size={760}>
      <div className="col">
        <form
          className="row playground-repeat"
          onSubmit={(event) => {
            event.preventDefault();
            if (isValid && !isBusy) start(request, times);
          }}
        >
          <NumberInput
            label={text.times}
            w={96}
            min={TIMES_MIN}
            max={TIMES_MAX}
            allowDecimal={false}
            clampBehavior="strict"
            value={times}
            onChange={setTimes}
            disabled={isBusy}
            data-autofocus
          />
          {isBusy ? (
            <Button leftSection={<Icon name="pause" size={14} />} onClick={stop}>
              {text.stop}
            </Button>
          ) : (
            <Button
              type="submit"
              variant="filled"
              leftSection={<Icon name="play" size={14} />}
              disabled={!isValid}
            >
              {text.run}
            </Button>
          )}
          <p className="xs muted" role="status">
            {runs.length === 0 ? text.real : text.ended(ended, runs.length)}
          </p>
        </form>
        {runs.length > 0 && (
          <>
            <SpreadTable runs={runs} logs={logs} />
            <ol className="playground-repeated" aria-label={text.answers}>
              {runs.map((run, place) => (
                <RepeatedResponse key={place} number={place + 1} run={run} log={logs[place]} />
              ))}
            </ol>
          </>
        )}
      </div>
    </Modal>
  );
}
