interface WhenProps {
  /** ISO 8601. */
  time: string;
  dateOnly?: boolean;
}

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long' });
const DATE_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });

/** A moment in the reader's own time zone. */
export function When({ time, dateOnly }: WhenProps) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return null;
  return <time dateTime={time}>{(dateOnly ? DATE : DATE_TIME).format(date)}</time>;
}
