import { Button, Input } from '@mantine/core';
import { useTexts } from '../../texts/texts.js';
import type { RecordSchema } from '../data/record-schema.js';
import {
  chosenColumns,
  type ColumnChoices,
  type ColumnTarget,
  type CsvHead,
  isField,
  proposalFor,
} from './import-columns.js';
import classes from './records.module.css';

interface ImportColumnsProps {
  readonly head: CsvHead;
  readonly schema: RecordSchema;
  readonly targets: readonly ColumnTarget[];
  readonly choices: ColumnChoices;
  readonly onChoices: (choices: ColumnChoices) => void;
}

const LEFT_OUT = '-';

/** Maps the columns of a file to fields. A column without a matching name stays undecided until the user selects a field. */
export function ImportColumns({ head, schema, targets, choices, onChoices }: ImportColumnsProps) {
  const { records } = useTexts('records');
  const words = records.import.columns;
  const columns = chosenColumns(head, schema, choices);
  const open = [...columns].flatMap(([heading, field]) => (field === undefined ? [heading] : []));
  const isPlain = [...columns].every(([heading, field]) => field === heading);
  const proposed = open.flatMap((heading) => {
    const field = proposalFor(heading, targets);
    return field === undefined ? [] : [[heading, field] as const];
  });
  const known = new Set(targets.map(([field]) => field));
  return (
    <details className={classes.columns} open={!isPlain || undefined}>
      <summary>{open.length > 0 ? words.open(open.length) : words.all(columns.size)}</summary>
      <div className={classes.faults} role="region" aria-label={words.title} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{words.column}</th>
              <th scope="col">{words.examples}</th>
              <th scope="col">{records.import.field}</th>
            </tr>
          </thead>
          <tbody>
            {head.headings.map((heading, at) => {
              const field = columns.get(heading);
              return (
                <tr key={`${at} ${heading}`}>
                  <td>{heading}</td>
                  <td className={classes.note}>
                    {head.examples
                      .map((row) => row[at] ?? '')
                      .join(' · ')
                      .slice(0, 80)}
                  </td>
                  <td>
                    <Input
                      component="select"
                      size="xs"
                      aria-label={words.fieldOf(heading)}
                      aria-invalid={field === undefined || undefined}
                      error={field === undefined}
                      value={field === null ? LEFT_OUT : (field ?? '')}
                      onChange={({ currentTarget: { value } }) =>
                        onChoices({ ...choices, [heading]: value === LEFT_OUT ? null : value })
                      }
                    >
                      {field === undefined && <option value="">{words.choose}</option>}
                      {isField(heading, schema) && !known.has(heading) && <option value={heading}>{heading}</option>}
                      {targets.map(([name, text]) => (
                        <option key={name} value={name}>
                          {text} ({name})
                        </option>
                      ))}
                      <option value={LEFT_OUT}>{words.leave}</option>
                    </Input>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <div className={classes.bar}>
        {proposed.length > 0 && (
          <Button
            size="xs"
            variant="default"
            onClick={() => onChoices({ ...choices, ...Object.fromEntries(proposed) })}
          >
            {words.propose(proposed.map(([heading, field]) => `${heading} → ${field}`).join(', '))}
          </Button>
        )}
        {open.length > proposed.length && (
          <Button
            size="xs"
            variant="default"
            onClick={() =>
              onChoices({
                ...choices,
                ...Object.fromEntries(
                  open.filter((one) => !proposed.some(([name]) => name === one)).map((one) => [one, null]),
                ),
              })
            }
          >
            {words.leaveRest}
          </Button>
        )}
      </div>
    </details>
  );
}
