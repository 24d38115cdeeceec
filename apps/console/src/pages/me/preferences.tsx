import {
  Input,
  SegmentedControl,
  Switch,
  useMantineColorScheme,
  type MantineColorScheme,
} from '@mantine/core';
import type { ReactElement } from 'react';
import { changePreferences, usePreferences, type Preferences } from '../../app';
import { me } from '../../messages';
import { viewerZone } from '../../ui/format';
import { Pane } from '../../ui/states';
import { MeFrame } from './frame';

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly names: Readonly<Record<string, string>>;
  readonly onChoose: (value: string) => void;
}

function Choice({ label, value, names, onChoose }: ChoiceProps): ReactElement {
  return (
    <Input.Wrapper label={label} labelElement="div">
      <div>
        <SegmentedControl
          aria-label={label}
          value={value}
          data={Object.entries(names).map(([id, name]) => ({ value: id, label: name }))}
          onChange={onChoose}
        />
      </div>
    </Input.Wrapper>
  );
}

/** Page of the appearance and shortcuts of the console in this browser. */
export function PreferencesPage(): ReactElement {
  const { zone, density, hasKeys } = usePreferences();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <MeFrame section="preferences">
      <div className="me-columns">
        <Pane footer={me.here}>
          <div className="col fields">
            <Choice
              label={me.theme}
              value={colorScheme}
              names={me.themes}
              onChoose={(value) => setColorScheme(value as MantineColorScheme)}
            />
            <Choice
              label={me.zone}
              value={zone}
              names={me.zones(viewerZone())}
              onChoose={(value) => changePreferences({ zone: value as Preferences['zone'] })}
            />
            <Choice
              label={me.density}
              value={density}
              names={me.densities}
              onChoose={(value) => changePreferences({ density: value as Preferences['density'] })}
            />
            <Switch
              label={me.single}
              description={me.singleHint}
              checked={hasKeys}
              onChange={({ currentTarget }) => changePreferences({ hasKeys: currentTarget.checked })}
            />
          </div>
        </Pane>
      </div>
    </MeFrame>
  );
}
