import { Button, Modal, NumberInput, Radio } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { call, problemFrom, type Problem } from '../../../api';
import { keys } from '../../../messages';
import { moment, parseMoment } from '../../../ui/format';
import { Note, useFormat } from '../../../ui/primitives';
import { KeyReveal } from '../parts/key-reveal';
import type { ApiKey } from '../key-types';

const HOUR_MS = 3_600_000;
/** Hours for which both secrets work when nothing else is chosen. */
const USUAL_HOURS = 24;

interface RotateKeyProps {
  readonly apiKey: ApiKey;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

interface Rotated {
  readonly secret: string;
  /** When the former secret ends; null: it has ended. */
  readonly until: string | null;
}

/** Gives a key a new secret, which lives in this component until its dialog is closed. */
export function RotateKey({ apiKey, isOpen, onClose }: RotateKeyProps): ReactElement {
  const { zone } = useFormat();
  const [rotated, setRotated] = useState<Rotated | null>(null);
  const until = parseMoment(rotated?.until);
  return (
    <>
      <Modal opened={isOpen && rotated === null} onClose={onClose} title={keys.rotateTitle(apiKey.name)}>
        <RotateForm apiKey={apiKey} onRotated={setRotated} />
      </Modal>
      <KeyReveal
        keyId={apiKey.id}
        secret={rotated?.secret ?? null}
        name={apiKey.name}
        note={until === null ? keys.oldDead : keys.bothUntil(moment(until, zone))}
        onClose={() => {
          setRotated(null);
          onClose();
        }}
      />
    </>
  );
}

function RotateForm({
  apiKey,
  onRotated,
}: {
  readonly apiKey: ApiKey;
  readonly onRotated: (rotated: Rotated) => void;
}): ReactElement {
  const queries = useQueryClient();
  const [how, setHow] = useState<'both' | 'now'>('both');
  const usual = apiKey.rotation_policy?.key_transition_period_ms;
  const [hours, setHours] = useState(usual === undefined ? USUAL_HOURS : usual / HOUR_MS);
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const rotate = async (): Promise<void> => {
    if (isSending) return;
    setSending(true);
    setProblem(null);
    const body =
      how === 'now' ? { revoke_previous: true } : { key_transition_period_ms: Math.round(hours * HOUR_MS) };
    try {
      const { data } = await call('apiKeys_rotate', { path: { id: apiKey.id } }, { body });
      onRotated({ secret: data.key, until: data.key_transition_expires_at });
      await queries.invalidateQueries({ queryKey: ['apiKeys_get'] });
      await queries.invalidateQueries({ queryKey: ['apiKeys_list'] });
    } catch (error) {
      setProblem(problemFrom(error));
    } finally {
      setSending(false);
    }
  };
  return (
    <form
      className="col fields"
      onSubmit={(event) => {
        event.preventDefault();
        void rotate();
      }}
    >
      <p className="sub">{keys.rotateLead}</p>
      <Radio.Group label={keys.rotateHow} value={how} onChange={(value) => setHow(value)}>
        <div className="col">
          <Radio value="both" label={keys.rotateBoth} description={keys.rotateBothHint} data-autofocus />
          <Radio value="now" label={keys.rotateNow} description={keys.rotateNowHint} />
        </div>
      </Radio.Group>
      {how === 'both' && (
        <NumberInput
          label={keys.rotateFor}
          suffix={keys.hours}
          min={0.5}
          value={hours}
          error={problem?.byPath.get('key_transition_period_ms')}
          onChange={(value) => typeof value === 'number' && setHours(value)}
        />
      )}
      {problem !== null && <Note tone="danger">{problem.message}</Note>}
      <span className="row">
        <Button
          type="submit"
          className="right"
          variant="filled"
          color={how === 'now' ? 'danger' : undefined}
          loading={isSending}
        >
          {how === 'now' ? keys.rotateNow : keys.rotate}
        </Button>
      </span>
    </form>
  );
}
