import { createTheme, type MantineColorsTuple } from '@mantine/core';
import classes from './controls.module.css';

/** Must equal the values in variables.css. */
const lintel: MantineColorsTuple = [
  '#e9f5f7',
  '#d3e8ec',
  '#a9d2da',
  '#7cbac7',
  '#57a5b6',
  '#3f98ab',
  '#2f8497',
  '#246f80',
  '#1c5b6a',
  '#124653',
];

/** Theme. Its CSS variables are in variables.css, because the content security policy forbids styles created by scripts. */
export const theme = createTheme({
  colors: { lintel },
  primaryColor: 'lintel',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'md' }, classNames: { root: classes.button, label: classes.buttonLabel } },
    Input: { classNames: { wrapper: classes.input, input: classes.field } },
    InputWrapper: { classNames: { label: classes.label, description: classes.description } },
    TextInput: { defaultProps: { size: 'md' } },
    PasswordInput: { defaultProps: { size: 'md' } },
    Anchor: { defaultProps: { underline: 'always', size: 'sm' } },
  },
});
