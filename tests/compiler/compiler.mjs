// Answers questions of tests/compiler/compiler.py with the TypeScript compiler: one JSON object a line in, one a line out.
//
//   {"definitions": [{"key", "path", "text"}]}    -> {key: [definition]}: the definitions of each text
//   {"open": {"root", "config", "include"?}}      -> {"files"}: the paths of a program of a work tree, checked once
//   {"check": {path: text or null}}               -> {"errors": [[path, line, code, message]]} of the program with these texts instead
//
// usage: node compiler.mjs DIRECTORY   (DIRECTORY/node_modules holds `typescript`)
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { createInterface } from 'node:readline'

const WRONG_NUMBER = 2554
const ts = createRequire(join(process.argv[2], 'x.js'))('typescript')

/** Returns a text with blanks in the place of comments. */
function withoutComments(file, text) {
  let code = '', at = 0
  const visit = node => {
    const children = node.getChildren(file).filter(it => !ts.isJSDoc(it))
    if (children.length) return children.forEach(visit)
    const start = node.getStart(file)
    code += text.slice(at, node.pos) + text.slice(Math.max(at, node.pos), start).replace(/[^\n]/g, ' ')
    at = Math.max(at, start)
  }
  visit(file)
  return code + text.slice(at)
}

/** Returns top-level definitions and the members of classes, interfaces, object types and enums. */
function definitions(path, text) {
  const kind = path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind)
  const code = withoutComments(file, text)
  const found = []
  const isFunction = node => node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node))
  const nameOf = node => {
    if (!node) return undefined
    if (ts.isIdentifier(node) || ts.isStringLiteral(node) || ts.isPrivateIdentifier(node)) return node.text
    return undefined
  }
  const exports = new Set()
  let defaultName
  for (const one of file.statements) {
    if (ts.isExportDeclaration(one) && !one.moduleSpecifier && one.exportClause && ts.isNamedExports(one.exportClause)) {
      for (const it of one.exportClause.elements) exports.add((it.propertyName ?? it.name).text)
    }
    if (ts.isExportAssignment(one) && ts.isIdentifier(one.expression)) defaultName = one.expression.text
  }
  const parametersOf = node => {
    const its = (isFunction(node.initializer) ? node.initializer : node).parameters ?? []
    return its.map(it => ({ start: it.getStart(file), end: it.getEnd(), rest: !!it.dotDotDotToken }))
  }
  const add = (owner, name, kind, node, head, members, exported, declaration = node) => {
    const start = node.getStart(file)
    const own = members.map(it => [it.getFullStart() - start, it.getEnd() - start])
    found.push({
      name: owner ? `${owner}.${name}` : name, kind, owner: owner ?? '', exported: exported || exports.has(name) && !owner,
      default: !owner && (defaultName === name), head: text.slice(start, head), text: text.slice(start, node.getEnd()),
      code: code.slice(start, node.getEnd()),
      members: own, memberNames: members.map(it => nameOf(it.name)).filter(it => it), line: file.getLineAndCharacterOfPosition(start).line + 1,
      endLine: file.getLineAndCharacterOfPosition(node.getEnd()).line + 1, start, end: node.getEnd(),
      parameters: parametersOf(declaration),
    })
  }
  const headOf = node => {
    const value = node.initializer
    if (isFunction(value)) return value.body.getStart(file)
    if (value) return value.getFullStart()
    return node.body ? node.body.getFullStart() : node.getEnd()
  }
  const isListed = it => ts.isConstructorDeclaration(it) || nameOf(it.name) !== undefined
  const addMembers = (owner, members) => {
    for (const it of members) {
      const name = ts.isConstructorDeclaration(it) ? 'constructor' : nameOf(it.name)
      if (!name) continue
      const kind = ts.isConstructorDeclaration(it) ? 'constructor'
        : ts.isMethodDeclaration(it) || ts.isMethodSignature(it) || isFunction(it.initializer) ? 'method'
          : ts.isEnumMember(it) ? 'enumMember' : ts.isPropertyDeclaration(it) ? 'field' : 'property'
      add(owner, name, kind, it, headOf(it), [], true)
      // `constructor(private a: A)` is a field too.
      for (const one of ts.isConstructorDeclaration(it) ? it.parameters : []) {
        const name = ts.isParameterPropertyDeclaration(one, it) && nameOf(one.name)
        if (name) add(owner, name, 'field', one, headOf(one), [], true)
      }
    }
  }
  for (const one of file.statements) {
    const exported = ts.canHaveModifiers(one) && (ts.getModifiers(one) ?? []).some(it => it.kind === ts.SyntaxKind.ExportKeyword)
    if (ts.isFunctionDeclaration(one) && one.name) {
      add(undefined, one.name.text, 'function', one, headOf(one), [], exported)
    } else if (ts.isClassDeclaration(one) && one.name || ts.isInterfaceDeclaration(one) || ts.isEnumDeclaration(one)) {
      const kind = ts.isClassDeclaration(one) ? 'class' : ts.isEnumDeclaration(one) ? 'enum' : 'interface'
      const head = one.members.pos - 1
      add(undefined, one.name.text, kind, one, head, one.members.filter(isListed), exported)
      addMembers(one.name.text, one.members)
    } else if (ts.isTypeAliasDeclaration(one)) {
      const members = ts.isTypeLiteralNode(one.type) ? one.type.members.filter(isListed) : []
      add(undefined, one.name.text, 'type', one, one.getEnd(), members, exported)
      addMembers(one.name.text, members)
    } else if (ts.isVariableStatement(one)) {
      const all = one.declarationList.declarations
      for (const it of all) {
        const isConst = one.declarationList.flags & ts.NodeFlags.Const
        for (const name of ts.isIdentifier(it.name) ? [] : it.name.elements.map(part => nameOf(part.name))) {
          if (name) add(undefined, name, isConst ? 'constant' : 'variable', one, headOf(it), [], exported)
        }
        if (!ts.isIdentifier(it.name)) continue
        const kind = isFunction(it.initializer) ? 'function' : isConst ? 'constant' : 'variable'
        add(undefined, it.name.text, kind, all.length === 1 ? one : it, headOf(it), [], exported, it)
      }
    }
  }
  return found
}

/** Returns where the name stands that a call around a place calls: too many arguments are reported at the first of them. */
function startOfCallee(file, start) {
  let found = start
  const visit = node => {
    if (node.getStart(file) > start || node.getEnd() <= start) return
    if ((ts.isCallExpression(node) || ts.isNewExpression(node)) && start >= node.expression.getStart(file)) {
      const callee = node.expression
      found = (ts.isPropertyAccessExpression(callee) ? callee.name : callee).getStart(file)
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

/** A program whose texts can be replaced; what a replacement does not touch is not checked again. */
class Checker {
  constructor({ root, config, include }) {
    this.root = root
    const read = ts.readConfigFile(join(root, config), ts.sys.readFile).config
    if (include) read.include = include
    const parsed = ts.parseJsonConfigFileContent(read, ts.sys, dirname(join(root, config)))
    this.options = {
      ...parsed.options, noEmit: true, composite: false, incremental: false, declaration: false, isolatedDeclarations: false,
      noUnusedLocals: false, noUnusedParameters: false, types: [], tsBuildInfoFile: undefined, allowJs: false,
      // What a declaration leaves out would be no reason to check the files that use it again.
      isolatedModules: false, skipLibCheck: true, stripInternal: false,
    }
    this.names = parsed.fileNames.filter(it => !it.endsWith('.js'))
    this.replaced = new Map()
    this.cache = new Map()
    this.builder = undefined
    this.byFile = new Map()
    this.check({})
  }

  host() {
    const host = ts.createCompilerHost(this.options)
    const text = path => this.replaced.has(path) ? this.replaced.get(path) : undefined
    const { readFile, fileExists } = host
    host.fileExists = path => this.replaced.has(path) ? text(path) !== null : fileExists(path)
    host.readFile = path => this.replaced.has(path) ? text(path) ?? undefined : readFile(path)
    host.getSourceFile = (path, language) => {
      const content = host.readFile(path)
      if (content === undefined) return undefined
      const version = createHash('sha1').update(content).digest('hex')
      const known = this.cache.get(path)
      if (known?.version === version) return known
      const file = ts.createSourceFile(path, content, language, true)
      file.version = version
      this.cache.set(path, file)
      return file
    }
    host.createHash = text => createHash('sha1').update(text).digest('hex')
    return host
  }

  check(texts) {
    this.replaced = new Map(Object.entries(texts).map(([path, text]) => [join(this.root, path), text]))
    const more = [...this.replaced].filter(([path, text]) => text !== null && !this.names.includes(path)).map(it => it[0])
    const names = [...this.names.filter(path => this.replaced.get(path) !== null), ...more]
    const program = ts.createSemanticDiagnosticsBuilderProgram(names, this.options, this.host(), this.builder)
    this.builder = program
    for (;;) {
      const next = program.getSemanticDiagnosticsOfNextAffectedFile()
      if (!next) break
    }
    const errors = []
    for (const file of program.getSourceFiles()) {
      if (file.fileName.includes('/node_modules/')) continue
      for (const it of program.getSemanticDiagnostics(file)) {
        const at = it.code === WRONG_NUMBER ? startOfCallee(file, it.start) : it.start ?? 0
        const line = file.getLineAndCharacterOfPosition(at).line + 1
        errors.push([relative(this.root, file.fileName), line, it.code, ts.flattenDiagnosticMessageText(it.messageText, ' ').slice(0, 200)])
      }
    }
    return { errors, files: program.getSourceFiles().length }
  }
}

let checker
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line)
  let answer
  try {
    if (asked.definitions) {
      answer = Object.fromEntries(asked.definitions.map(it => [it.key, definitions(it.path, it.text)]))
    } else if (asked.open) {
      checker = new Checker(asked.open)
      answer = { files: checker.names.map(it => relative(checker.root, it)) }
    } else if (asked.check) {
      answer = checker.check(asked.check)
    }
  } catch (error) {
    answer = { failed: String(error.stack ?? error) }
  }
  process.stdout.write(JSON.stringify(answer) + '\n')
}
