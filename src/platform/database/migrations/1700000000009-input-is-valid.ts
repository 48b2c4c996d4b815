import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whether a text can be read as a value of a type: `pg_input_is_valid`, which PostgreSQL has since version 16. A change of a
 * field's type counts by it the rows that would not fit.
 */
export class InputIsValid1700000000009 implements MigrationInterface {
  readonly name = 'InputIsValid1700000000009';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE FUNCTION lintel_input_is_valid(value text, type text) RETURNS boolean
      LANGUAGE plpgsql STABLE STRICT AS $$
      BEGIN
        EXECUTE format('SELECT %L::%s', value, type);
        RETURN true;
      EXCEPTION WHEN data_exception OR syntax_error_or_access_rule_violation OR program_limit_exceeded THEN
        RETURN false;
      END $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION lintel_input_is_valid(text, text)');
  }
}
