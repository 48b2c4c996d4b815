import { When } from '../../ui/when.js';
import { useTexts } from '../../texts/texts.js';
import { NewRecord, Reference } from '../data/record-changes.js';
import type { CellProps } from './field-kind.types.js';
import classes from './fields.module.css';
import { bytesIn, typed, InvalidInput } from './values.js';

const MAX_CHARACTERS = 200;
const MAX_NAMES = 3;

function Empty() {
  const { records } = useTexts('records');
  return (
    <span className={classes.empty} aria-label={records.empty}>
      –
    </span>
  );
}

export function TextCell({ value }: CellProps) {
  if (isNothing(value)) return <Empty />;
  const text = typed(value);
  return <>{text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text}</>;
}

export function NumberCell({ value }: CellProps) {
  const { locale } = useTexts();
  if (isNothing(value)) return <Empty />;
  if (value instanceof InvalidInput) return <>{value.text}</>;
  return <span className={classes.number}>{numberText(value, locale)}</span>;
}

function numberText(value: unknown, locale: string): string {
  if (typeof value === 'string' && /^-?\d+$/.test(value)) return BigInt(value).toLocaleString(locale);
  return typeof value === 'number' ? value.toLocaleString(locale, { maximumFractionDigits: 20 }) : String(value);
}

export function BoolCell({ value }: CellProps) {
  const { records } = useTexts('records');
  return isNothing(value) ? <Empty /> : <>{value === true ? records.yes : records.no}</>;
}

export function TimeCell({ value }: CellProps) {
  if (isNothing(value)) return <Empty />;
  return typeof value === 'string' ? <When time={value} /> : <>{typed(value)}</>;
}

export function JsonCell({ value }: CellProps) {
  if (isNothing(value)) return <Empty />;
  const text = value instanceof InvalidInput ? value.text : JSON.stringify(value);
  return (
    <code className={classes.code}>{text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text}</code>
  );
}

export function BytesCell({ value }: CellProps) {
  const { locale } = useTexts();
  if (typeof value !== 'string') return <Empty />;
  const size = bytesIn(value);
  return <>{new Intl.NumberFormat(locale, { style: 'unit', unit: 'byte', unitDisplay: 'narrow' }).format(size)}</>;
}

export function EnumCell({ field, value }: CellProps) {
  if (isNothing(value)) return <Empty />;
  const label = field.enums.find((choice) => choice.value === value)?.label;
  return <span className={classes.tag}>{label ?? typed(value)}</span>;
}

export function UuidCell({ value }: CellProps) {
  return isNothing(value) ? <Empty /> : <code className={classes.code}>{typed(value)}</code>;
}

export function ReferenceCell({ value }: CellProps) {
  const list = (Array.isArray(value) ? value : [value]).filter(
    (item) => item instanceof Reference || item instanceof NewRecord,
  );
  if (list.length === 0) return <Empty />;
  const names = list.slice(0, MAX_NAMES).map(({ label }) => label);
  return (
    <>
      {names.join(', ') + (list.length > MAX_NAMES || (Array.isArray(value) && list.length === MAX_NAMES) ? ' …' : '')}
    </>
  );
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}
