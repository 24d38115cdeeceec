import type {
  ActionIcon,
  Button,
  Checkbox,
  Drawer,
  Input,
  InputWrapper,
  Kbd,
  Menu,
  Modal,
  NumberInput,
  Popover,
  SegmentedControl,
  Skeleton,
  Switch,
  Tabs,
  Tooltip,
  MantineThemeComponents,
} from '@mantine/core';
import { uiText } from '../../messages/en/ui';

/** Accessible name for the close button of dialogs, which shows only an icon. */
const CLOSE = { 'aria-label': uiText.dialog.close };

const isSmall = (size: unknown): boolean => size === 'xs' || size === 'compact-sm' || size === 'compact-xs';

/**
 * Theme configuration of a component. Typed without importing the component, so that the shell does
 * not load every component that a page may use.
 */
type ConfigOf<C extends { readonly extend: (config: never) => unknown }> = Parameters<C['extend']>[0];

/** Sizes and defaults of Mantine's components: controls 30 px, small ones 26, inputs 32. */
export const COMPONENTS: MantineThemeComponents = {
  Button: {
    defaultProps: { size: 'sm', variant: 'default' },
    vars: (_theme, { size }) => ({
      root: {
        '--button-height': isSmall(size) ? '26px' : 'var(--control)',
        '--button-padding-x': isSmall(size) ? '8px' : '11px',
        '--button-fz': isSmall(size) ? 'var(--text-xs)' : 'var(--text-sm)',
      },
    }),
  } satisfies ConfigOf<typeof Button>,
  ActionIcon: {
    defaultProps: { size: 'sm', variant: 'subtle' },
    vars: (_theme, { size }) => ({ root: { '--ai-size': isSmall(size) ? '26px' : 'var(--control)' } }),
  } satisfies ConfigOf<typeof ActionIcon>,
  Input: {
    defaultProps: { size: 'sm' },
    vars: () => ({ wrapper: { '--input-height': '32px', '--input-fz': 'var(--text-sm)' } }),
  } satisfies ConfigOf<typeof Input>,
  InputWrapper: {
    defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] },
  } satisfies ConfigOf<typeof InputWrapper>,
  // The blur prevents the mouse wheel from changing a focused number, such as a limit.
  NumberInput: {
    defaultProps: { hideControls: true, onWheel: (event) => event.currentTarget.blur() },
  } satisfies ConfigOf<typeof NumberInput>,
  Checkbox: { defaultProps: { size: 'xs' } } satisfies ConfigOf<typeof Checkbox>,
  Switch: { defaultProps: { size: 'xs', color: 'accent', withThumbIndicator: false } } satisfies ConfigOf<
    typeof Switch
  >,
  SegmentedControl: { defaultProps: { size: 'xs', transitionDuration: 120 } } satisfies ConfigOf<
    typeof SegmentedControl
  >,
  Tabs: { defaultProps: { keepMounted: false } } satisfies ConfigOf<typeof Tabs>,
  Tooltip: {
    defaultProps: {
      openDelay: 300,
      events: { hover: true, focus: true, touch: true },
      multiline: true,
      maw: 360,
    },
  } satisfies ConfigOf<typeof Tooltip>,
  Popover: { defaultProps: { shadow: 'md', transitionProps: { duration: 120 } } } satisfies ConfigOf<
    typeof Popover
  >,
  Menu: { defaultProps: { shadow: 'md', transitionProps: { duration: 120 } } } satisfies ConfigOf<
    typeof Menu
  >,
  Modal: {
    defaultProps: {
      radius: 'xl',
      shadow: 'xl',
      transitionProps: { duration: 180 },
      centered: false,
      closeButtonProps: CLOSE,
    },
  } satisfies ConfigOf<typeof Modal>,
  Drawer: { defaultProps: { closeButtonProps: CLOSE } } satisfies ConfigOf<typeof Drawer>,
  Kbd: { defaultProps: { size: 'xs' } } satisfies ConfigOf<typeof Kbd>,
  Skeleton: { defaultProps: { radius: 'xs' } } satisfies ConfigOf<typeof Skeleton>,
};
