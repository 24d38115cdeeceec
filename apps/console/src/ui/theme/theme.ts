import {
  createTheme,
  defaultVariantColorsResolver,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core';
import { COMPONENTS } from './components';

/** Token colours that Mantine's `color` property accepts. */
const COLORS = ['ink', 'accent', 'ok', 'warn', 'danger', 'info', 'violet', 'neutral'] as const;

const tuple = (token: string): MantineColorsTuple => {
  const color = `var(--${token})`;
  return [color, color, color, color, color, color, color, color, color, color];
};

/** Background token of a colour; `ink` has none and uses `hover`. */
const groundOf = (color: string): string => (color === 'ink' ? 'var(--hover)' : `var(--${color}-bg)`);

const variantColorResolver: VariantColorsResolver = (input) => {
  const resolved = defaultVariantColorsResolver(input);
  const color = input.color ?? input.theme.primaryColor;
  if (!(COLORS as readonly string[]).includes(color)) return resolved;
  const own = `var(--${color})`;
  switch (input.variant) {
    case 'filled':
      return {
        background: own,
        hover: `color-mix(in srgb, ${own} 88%, var(--bg))`,
        color: 'var(--on-ink)',
        border: `1px solid ${own}`,
      };
    case 'light':
      return {
        background: groundOf(color),
        hover: 'var(--pressed)',
        color: own,
        border: '1px solid transparent',
      };
    case 'subtle':
    case 'transparent':
      return {
        background: 'transparent',
        hover: 'var(--hover)',
        color: color === 'ink' ? 'var(--text-2)' : own,
        border: '1px solid transparent',
      };
    case 'outline':
    case 'default':
      return {
        background: 'var(--surface)',
        hover: 'var(--hover)',
        color: color === 'ink' ? 'var(--text)' : own,
        border: '1px solid var(--border-strong)',
      };
    default:
      return resolved;
  }
};

/** Mantine theme based on the tokens of `tokens.css`. */
export const theme = createTheme({
  colors: Object.fromEntries(COLORS.map((color) => [color, tuple(color)])),
  primaryColor: 'ink',
  variantColorResolver,
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--mono)',
  fontSizes: {
    xs: 'var(--text-xs)',
    sm: 'var(--text-sm)',
    md: 'var(--text-md)',
    lg: 'var(--text-lg)',
    xl: 'var(--text-xl)',
  },
  lineHeights: {
    xs: 'var(--line)',
    sm: 'var(--line)',
    md: 'var(--line)',
    lg: 'var(--line)',
    xl: 'var(--line-tight)',
  },
  spacing: { xs: 'var(--s1)', sm: 'var(--s2)', md: 'var(--s3)', lg: 'var(--s4)', xl: 'var(--s6)' },
  radius: {
    xs: 'var(--radius-s)',
    sm: 'var(--radius)',
    md: 'var(--radius)',
    lg: 'var(--radius-l)',
    xl: '14px',
  },
  shadows: {
    xs: 'var(--shadow-1)',
    sm: 'var(--shadow-1)',
    md: 'var(--shadow-2)',
    lg: 'var(--shadow-2)',
    xl: 'var(--shadow-3)',
  },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  focusRing: 'auto',
  respectReducedMotion: true,
  headings: { fontFamily: 'var(--font)', fontWeight: '640' },
  components: COMPONENTS,
});

/**
 * Mantine's CSS variables with their tokens. The tokens change with the theme, so both themes share
 * this table.
 */
const VARIABLES: Readonly<Record<string, string>> = {
  '--mantine-color-body': 'var(--bg)',
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-bright': 'var(--text)',
  '--mantine-color-dimmed': 'var(--text-3)',
  '--mantine-color-placeholder': 'var(--text-3)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-error': 'var(--danger)',
  '--mantine-color-success': 'var(--ok)',
  '--mantine-color-default': 'var(--surface)',
  '--mantine-color-default-hover': 'var(--hover)',
  '--mantine-color-default-color': 'var(--text)',
  '--mantine-color-default-border': 'var(--border-strong)',
  '--mantine-color-disabled': 'var(--inset)',
  '--mantine-color-disabled-color': 'var(--text-3)',
  '--mantine-color-disabled-border': 'var(--border)',
  '--mantine-color-white': 'var(--surface)',
  '--mantine-color-black': 'var(--text)',
  '--mantine-primary-color-filled': 'var(--ink)',
  '--mantine-primary-color-filled-hover': 'var(--ink)',
  '--mantine-primary-color-light': 'var(--hover)',
  '--mantine-primary-color-light-hover': 'var(--pressed)',
  '--mantine-primary-color-light-color': 'var(--text)',
  '--mantine-primary-color-contrast': 'var(--on-ink)',
  // Popovers also open from dialogs, so they are above them.
  '--mantine-z-index-app': '5',
  '--mantine-z-index-overlay': '25',
  '--mantine-z-index-modal': '30',
  '--mantine-z-index-popover': '35',
  '--mantine-z-index-max': '50',
};

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: { ...VARIABLES },
  light: { ...VARIABLES },
  dark: { ...VARIABLES },
});
