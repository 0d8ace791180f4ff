import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..");

const sources = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts"));
const known = new Set(sources);

/** The path below src of an imported file; undefined for a package or a stylesheet. */
function resolved(from: string, name: string): string | undefined {
  const target = name.startsWith("~/") ? name.slice(2) : name.startsWith(".") ? relative(root, join(root, dirname(from), name)) : undefined;
  return target === undefined ? undefined : ["", ".ts", ".tsx"].map((ending) => target + ending).find((path) => known.has(path));
}

/** The imports of each file, those of types and lazy ones included. */
const imports = new Map(
  sources.map((path) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(root, path), "utf8"), true, true);
    return [path, importedFiles.flatMap(({ fileName }) => resolved(path, fileName) ?? [])];
  }),
);

/** A circle of imports that can be reached from a file; null if there is none. */
function circleFrom(path: string, way: readonly string[], done: Set<string>): string[] | null {
  if (way.includes(path)) return [...way.slice(way.indexOf(path)), path];
  if (done.has(path)) return null;
  for (const next of imports.get(path) ?? []) {
    const circle = circleFrom(next, [...way, path], done);
    if (circle) return circle;
  }
  done.add(path);
  return null;
}

/** Reports for each folder whether a file in it may import a target. */
const allowed: Record<string, (target: string, from: string) => boolean> = {
  api: (target) => target.startsWith("api/"),
  components: (target) => /^(api|components)\//.test(target),
  screens: (target, from) => /^(api|components)\//.test(target) || target.startsWith(from.split("/").slice(0, 2).join("/") + "/"),
};

describe("the sources of the page", () => {
  it("are found at all", () => {
    expect(imports.get("app/Shell.tsx")).toContain("app/MatrixGate.tsx");
    expect(imports.get("app/router.tsx")).toContain("screens/ias/IAScreen.tsx");
  });

  it("have no circular imports", () => {
    const done = new Set<string>();
    expect(sources.map((path) => circleFrom(path, [], done)).filter(Boolean)).toEqual([]);
  });

  it("import in one direction: screens from components and api, components from api", () => {
    const wrong = sources
      .filter((path) => !path.includes(".test.") && !path.startsWith("test/"))
      .flatMap((path) => (imports.get(path) ?? []).filter((target) => allowed[path.split("/")[0] ?? ""]?.(target, path) === false).map((target) => `${path} imports ${target}`));
    expect(wrong).toEqual([]);
  });
});
